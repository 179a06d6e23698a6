import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { parseGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { Operation } from '@pintle/store';
import type { EndpointCall } from './endpoint.ts';
import type { DeleteOptions, WriteOptions } from './options.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * A write on its way to the store, as admission sees it. `call` says who asks, of which resource and subresource, and
 * takes warnings.
 */
export interface AdmissionRequest {
  readonly call: EndpointCall;
  readonly operation: AdmissionOperation;
  /** Of `object`, which need not be the resource's own: an Eviction is sent to a pod. */
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  /** Empty while the server has yet to make one up, which it has when the object is validated. */
  name: string;
  /** CreateOptions, UpdateOptions or DeleteOptions, as the client gave them. Absent when something is connected to. */
  readonly options: JsonObject | undefined;
  readonly isDryRun: boolean;
  /** The object that would be stored, or how to connect. Absent when something is deleted. `mutate` may change it in place or put another in its place. */
  object: KubernetesObject | undefined;
  /** The stored object. Absent when something is created. Never changed. */
  oldObject: KubernetesObject | undefined;
}

/** Admission as endpoints use it: the plugins, in their order. */
export interface Admission {
  /** Whether anybody looks at such a write. */
  handles(request: AdmissionRequest): boolean;
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
  /** Writes that take effect together with this one or not at all. */
  settle(request: AdmissionRequest): Promise<readonly Operation[]>;
  /** For what is asked of an object and never stored itself, and for deletes: all steps at once. */
  admit(request: AdmissionRequest): Promise<void>;
}

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
