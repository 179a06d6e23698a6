import type { KubernetesObject, ManagedFieldsEntry } from '@pintle/machinery';
import type { ApplyOutcome, WriteContext } from '@pintle/machinery/fields';
import { apply, FieldSet, keepTimesOfIdleWrite, managerNameOf, trackUpdate } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import { headerOf } from '../http/exchange.ts';
import type { EndpointCall } from './endpoint.ts';
import type { WriteOptions } from './options.ts';
import type { ServedResource } from './served-resource.ts';

const STATUS = FieldSet.of([{ field: 'status' }]);
const SPEC = FieldSet.of([{ field: 'spec' }]);
const ALL_BUT_STATUS = FieldSet.of([{ field: 'spec' }], [{ field: 'metadata' }]);

/**
 * Records in `next`, which is what the client wants before the server adds anything, who owns which of its fields now.
 * Without `live` the object is new.
 */
export function recordOwners(
  call: EndpointCall,
  options: WriteOptions,
  next: KubernetesObject,
  live: KubernetesObject | undefined,
): void {
  const context = contextOf(call, options);
  setEntries(next, trackUpdate({ ...context, next: asJson(next), ...(live && { live: asJson(live) }) }));
}

/** Merges a configuration into the stored object. Throws FieldsError when it does not fit the schema. */
export function applyConfiguration(
  call: EndpointCall,
  options: WriteOptions,
  applied: JsonObject,
  live: KubernetesObject | undefined,
  force: boolean,
): ApplyOutcome {
  return apply({ ...contextOf(call, options), applied, force, ...(live && { live: asJson(live) }) });
}

/** A write that changes nothing must not look like one because it came later. */
export function keepIdleTimes(next: KubernetesObject, live: KubernetesObject): void {
  setEntries(next, keepTimesOfIdleWrite(asJson(live), asJson(next)));
}

export function setEntries({ metadata }: KubernetesObject, entries: readonly ManagedFieldsEntry[]): void {
  if (entries.length === 0) delete metadata.managedFields;
  else metadata.managedFields = [...entries];
}

function contextOf(call: EndpointCall, options: WriteOptions): WriteContext {
  const { info, request, resource, clock } = call;
  return {
    manager: managerNameOf({ fieldManager: options.fieldManager, userAgent: headerOf(request, 'user-agent') }),
    apiVersion: resource.type.apiVersion,
    subresource: info.subresource === '' ? undefined : info.subresource,
    time: formatTime(clock.now()),
    schema: resource.fieldSchema(),
    resetFields: resetFieldsOf(resource, info.subresource),
  };
}

/** Fields that a write through this endpoint does not change, and so cannot own. */
function resetFieldsOf(resource: ServedResource, subresource: string): FieldSet | undefined {
  if (subresource === 'status') return resource.isCustom ? ALL_BUT_STATUS : SPEC;
  return subresource === '' && resource.subresources.has('status') ? STATUS : undefined;
}

function asJson(object: KubernetesObject): JsonObject {
  return object as unknown as JsonObject;
}
