import type { Eventual } from '@pintle/async';
import type { KubernetesObject, ManagedFieldsEntry } from '@pintle/machinery';
import { gvkOf, parseGroupVersion } from '@pintle/machinery';
import { StatusError } from '@pintle/machinery/errors';
import type { ApplyOutcome, Convert, FieldSteps, VersionedObject, WriteContext } from '@pintle/machinery/fields';
import {
  applyInSteps,
  decodeManagers,
  FieldsError,
  keepTimesOfIdleWrite,
  managerNameOf,
  parentEntriesOf,
  scaleEntriesOf,
  trackUpdateInSteps,
} from '@pintle/machinery/fields';
import { asJson, canonicalJson, type JsonObject } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import { headerOf } from '../../request/exchange.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import type { ScaleView, ServedResource } from '../../resource/served-resource.ts';
import { convertBetween } from '../../resource/served-resource.ts';
import { longTurns } from '../../resource/yield-policy.ts';
import { resetFieldsOf } from './reset-fields.ts';
import type { ObjectChange, ObjectWrite } from './write-state.ts';

const UNREADABLE_AFTER_ADMISSION =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests';

/** Records the owners of the desired object, unless it has them already. */
export function recordDesiredOwners({ context, options, desired, admission }: ObjectWrite): Eventual<void> {
  if (!desired.isTracked) return recordOwners(context, options, desired.object, admission.oldObject);
}

/**
 * Records in `next` which manager owns which field. `next` is the desired object before the server adds anything.
 * Without `live` the object is new.
 */
export async function recordOwners(
  context: RequestContext,
  options: Pick<WriteOptions, 'fieldManager'>,
  next: KubernetesObject,
  live: KubernetesObject | undefined,
): Promise<void> {
  const update = { next: asJson(next), live: live && asJson(live) };
  try {
    const decide = (convert: Convert) => trackUpdateInSteps(contextOf(context, options, convert), update);
    setEntries(next, await acrossVersions(context, decide));
  } catch (error) {
    // The conversion failed. The write goes on without updating owners.
    if (!(error instanceof StatusError)) throw error;
    setEntries(next, []);
  }
}

/** Like `recordOwners`, for a change that the server itself makes to another resource. */
export async function recordServer(
  context: RequestContext,
  { resource, subresource }: { readonly resource: ServedResource; readonly subresource: string },
  next: KubernetesObject,
  live: KubernetesObject,
): Promise<void> {
  const info = { ...context.info, subresource };
  await recordOwners({ ...context, resource, info }, { fieldManager: 'kube-apiserver' }, next, live);
}

/** Merges a configuration into the stored object. Throws FieldsError when it does not fit the schema. */
export async function applyConfiguration(
  context: RequestContext,
  options: WriteOptions,
  applied: JsonObject,
  live: KubernetesObject | undefined,
  force: boolean,
): Promise<ApplyOutcome> {
  const request = { applied, force, live: live && asJson(live) };
  return await acrossVersions(context, (convert) =>
    applyInSteps({ ...contextOf(context, options, convert), ...request }),
  );
}

/** Keeps the times in managedFields when a write changes nothing else, so that it stays a no-op. */
export function keepIdleTimes({ next, current }: ObjectChange): void {
  setEntries(next, keepTimesOfIdleWrite(asJson(current.object), asJson(next)));
}

/** Returns the view of an object, with the owners of its fields. */
export function projectOwned(scaleView: ScaleView, object: KubernetesObject): KubernetesObject {
  const view = scaleView.project(object);
  setEntries(view, scaleEntriesOf(object.metadata.managedFields, scaleView.replicasPaths));
  return view;
}

/** Merges a changed view into the object, with the new owners. */
export function mergeOwned(scaleView: ScaleView, view: KubernetesObject, object: KubernetesObject): KubernetesObject {
  const merged = scaleView.mergeInto(view, object);
  const owners = {
    parent: object.metadata.managedFields,
    scale: view.metadata.managedFields ?? [],
    apiVersion: scaleView.parent.type.apiVersion,
    paths: scaleView.replicasPaths,
  };
  setEntries(merged, parentEntriesOf(owners));
  return merged;
}

/** Runs mutating admission. Restores managedFields that it left unreadable. */
export async function mutateOwned(admission: AdmissionRequest): Promise<void> {
  const { context, object } = admission;
  const before = object?.metadata.managedFields;
  await context.admission.mutate(admission);
  const { metadata } = admission.object!;
  if (metadata.managedFields === before) return;
  if (metadata.managedFields?.length === 0) delete metadata.managedFields;
  try {
    decodeManagers(metadata.managedFields);
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error;
    setEntries(admission.object!, before ?? []);
    context.warnings.add(`${UNREADABLE_AFTER_ADMISSION}: ${error.message}`);
  }
}

export function setEntries({ metadata }: KubernetesObject, entries: readonly ManagedFieldsEntry[]): void {
  if (entries.length === 0) delete metadata.managedFields;
  else metadata.managedFields = [...entries];
}

function contextOf(
  context: RequestContext,
  options: Pick<WriteOptions, 'fieldManager'>,
  convert: Convert,
): WriteContext {
  const { info, request, resource, clock } = context;
  return {
    manager: managerNameOf({ fieldManager: options.fieldManager, userAgent: userAgentOf(request) }),
    apiVersion: resource.type.apiVersion,
    subresource: info.subresource === '' ? undefined : info.subresource,
    time: formatTime(clock.now()),
    schema: resource.fieldSchema(),
    resetFields: resetFieldsOf(resource, info.subresource),
    isResetIn: resource.isCustom ? (apiVersion) => isCustomReset(context, apiVersion) : undefined,
    mayViolateSchema: resource.isCustom,
    convert,
  };
}

/** Headers are decoded byte by byte, but a manager's name may be UTF-8. */
function userAgentOf(request: RequestContext['request']): string | undefined {
  const bytes = headerOf(request, 'user-agent');
  return bytes && Buffer.from(bytes, 'latin1').toString();
}

/** True when a version of a custom resource resets its status: each version has its own subresources. */
function isCustomReset({ info, resource, resources }: RequestContext, apiVersion: string): boolean {
  if (info.subresource !== 'status') return false;
  const { kind } = resource.type;
  const gvk = gvkOf({ apiVersion, kind });
  return gvk === undefined || resources.ofKind(gvk)?.subresources.has('status') !== false;
}

/** Runs `decide`, which is pure, between pauses, and converts objects to other versions for it. */
async function acrossVersions<T>(context: RequestContext, decide: (convert: Convert) => FieldSteps<T>): Promise<T> {
  const steps = decide(converterFor(context));
  const turns = longTurns(context.clock, context.yielding.ownTurn);
  let step = steps.next();
  while (!step.done) {
    const wait = step.value ?? turns.next();
    step =
      wait === undefined
        ? steps.next()
        : await wait.then(
            () => steps.next(),
            (error) => steps.throw(error),
          );
  }
  return step.value;
}

/** Returns a converter that caches each object by version. */
function converterFor(context: RequestContext): Convert {
  const converted = new Map<string, VersionedObject | undefined>();
  return function* (object, apiVersion) {
    const key = `${apiVersion} ${canonicalJson(object)}`;
    if (!converted.has(key)) {
      yield inAnotherVersion(context, object, apiVersion).then((versioned) => void converted.set(key, versioned));
    }
    return converted.get(key);
  };
}

/** Returns the object in another version of its resource, with the schema of its fields there. */
async function inAnotherVersion(
  { resource, resources }: RequestContext,
  object: JsonObject,
  apiVersion: string,
): Promise<VersionedObject | undefined> {
  if (resource.ownedIn !== undefined) return await resource.ownedIn(object, apiVersion);
  const find = async (version: unknown): Promise<ServedResource | undefined> => {
    const groupVersion = parseGroupVersion(String(version));
    const found = groupVersion && (await resources.find({ ...groupVersion, resource: resource.type.plural }));
    return found && isSameStorage(found, resource) ? found : undefined;
  };
  const from = await find(object.apiVersion);
  const to = await find(apiVersion);
  return from && to && { object: convertBetween(from, to, object), schema: to.fieldSchema() };
}

function isSameStorage(left: ServedResource, right: ServedResource): boolean {
  return left.storage.group === right.storage.group && left.storage.resource === right.storage.resource;
}
