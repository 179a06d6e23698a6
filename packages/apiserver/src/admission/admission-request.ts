import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
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
    options: call.info.verb === 'create' ? writeOptions('CreateOptions', call, options) : changeOptions(call, options),
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
    options: changeOptions(call, options),
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
      ...(Object.keys(preconditions).length > 0 && { preconditions: { ...preconditions } }),
      ...(orphanDependents !== undefined && { orphanDependents }),
      ...(propagationPolicy !== undefined && { propagationPolicy }),
      ...(options.isDryRun && { dryRun: ['All'] }),
    },
    isDryRun: options.isDryRun,
    object: undefined,
    oldObject,
  };
}

function kindOf({ resource }: EndpointCall): GroupVersionKind {
  const { group, version, kind } = resource.type;
  return { group, version, kind };
}

function changeOptions(call: EndpointCall, options: Pick<WriteOptions, 'isDryRun' | 'fieldManager'>): JsonObject {
  return writeOptions(call.info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions', call, options);
}

function writeOptions(
  kind: string,
  { query }: EndpointCall,
  options: Pick<WriteOptions, 'isDryRun' | 'fieldManager'>,
): JsonObject {
  const force = kind === 'PatchOptions' ? query.get('force') : null;
  const fieldValidation = query.get('fieldValidation');
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(options.isDryRun && { dryRun: ['All'] }),
    ...(force !== null && { force: force === 'true' || force === '1' || force === '' }),
    ...(options.fieldManager !== '' && { fieldManager: options.fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}
