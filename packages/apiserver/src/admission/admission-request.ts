import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { parseGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { DeleteOptions } from '../registry/delete-options.ts';
import type { EndpointCall } from '../registry/endpoint.ts';
import type { WriteOptions } from '../registry/options.ts';
import type { AdmissionRequest } from './admission.ts';

/** A create as admission sees it. `kind` when another than the resource's own is sent to it. */
export function creation(
  call: EndpointCall,
  object: KubernetesObject,
  options: Pick<WriteOptions, 'isDryRun' | 'fieldManager'>,
  kind?: GroupVersionKind,
): AdmissionRequest {
  return {
    call,
    kind: kind ?? kindOf(call),
    namespace: call.info.namespace,
    operation: 'CREATE',
    name: call.info.name || (object.metadata.name ?? ''),
    options: writeOptions('CreateOptions', call, options),
    isDryRun: options.isDryRun,
    object,
    oldObject: undefined,
  };
}

/** An update or a patch as admission sees it. */
export function change(
  call: EndpointCall,
  object: KubernetesObject,
  oldObject: KubernetesObject,
  options: WriteOptions,
): AdmissionRequest {
  return {
    call,
    kind: kindOf(call),
    namespace: call.info.namespace,
    operation: 'UPDATE',
    name: call.info.name,
    options: writeOptions('UpdateOptions', call, options),
    isDryRun: options.isDryRun,
    object,
    oldObject,
  };
}

/** A delete as admission sees it; of a collection, one for each object. */
export function deletion(call: EndpointCall, oldObject: KubernetesObject, options: DeleteOptions): AdmissionRequest {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = options;
  return {
    call,
    kind: kindOf(call),
    namespace: call.info.namespace,
    operation: 'DELETE',
    name: oldObject.metadata.name ?? '',
    options: {
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(preconditions !== undefined && { preconditions: { ...preconditions } }),
      ...(orphanDependents !== undefined && { orphanDependents }),
      ...(propagationPolicy !== undefined && { propagationPolicy }),
      ...(options.isDryRun && { dryRun: ['All'] }),
    },
    isDryRun: options.isDryRun,
    object: undefined,
    oldObject,
  };
}

/** Something that is connected to: a shell in a pod, a port, what a proxy leads to. `object` says how. */
export function connection(call: EndpointCall, kind: string, object: JsonObject): AdmissionRequest {
  return {
    call,
    kind: { group: '', version: 'v1', kind },
    namespace: call.info.namespace,
    operation: 'CONNECT',
    name: call.info.name,
    options: undefined,
    isDryRun: false,
    object: { kind, apiVersion: 'v1', ...object } as unknown as KubernetesObject,
    oldObject: undefined,
  };
}

/** Of what the resource shows; a part of its objects may be of another group: a Scale. */
function kindOf({ resource: { type, facade } }: EndpointCall): GroupVersionKind {
  const { group, version } = facade === undefined ? type : (parseGroupVersion(type.apiVersion) ?? type);
  return { group, version, kind: type.kind };
}

function writeOptions(
  kind: string,
  { query }: EndpointCall,
  options: Pick<WriteOptions, 'isDryRun' | 'fieldManager'>,
): JsonObject {
  const fieldValidation = query.get('fieldValidation');
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(options.isDryRun && { dryRun: ['All'] }),
    ...(options.fieldManager !== '' && { fieldManager: options.fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}
