import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { parseGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { Operation } from '@pintle/store';
import type { RequestContext } from './endpoint.ts';
import type { DeleteOptions, WriteOptions } from './options.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * A write on its way to the store, as admission plugins see it. `context` has the user, the resource and subresource, and
 * takes warnings.
 */
export interface AdmissionRequest {
  readonly context: RequestContext;
  readonly operation: AdmissionOperation;
  /** Kind of `object`, which may differ from that of the resource: an Eviction is sent to a pod. */
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  /** Empty until the server has generated a name, which it has before validation. */
  name: string;
  /** CreateOptions, UpdateOptions or DeleteOptions of the client. Absent for CONNECT. */
  readonly options: JsonObject | undefined;
  readonly isDryRun: boolean;
  /**
   * The object to store, or the options of CONNECT. Absent for DELETE. `mutate` may change it in place or replace it.
   */
  object: KubernetesObject | undefined;
  /** The stored object. Absent for CREATE. Never changed. */
  oldObject: KubernetesObject | undefined;
}

/** Admission as endpoints use it: runs the plugins in their order. */
export interface Admission {
  /** True when some plugin looks at such a write. */
  handles(request: AdmissionRequest): boolean;
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
  /** Returns operations that commit together with the write or not at all. */
  reserve(request: AdmissionRequest): Promise<readonly Operation[]>;
  /** Runs all steps at once: for deletes, and for objects such as an Eviction that are sent but never stored. */
  admit(request: AdmissionRequest): Promise<void>;
}

/** Returns the request of a create. `kind`: set when it differs from that of the resource. */
export function creation(
  context: RequestContext,
  object: KubernetesObject,
  options: Pick<WriteOptions, 'isDryRun' | 'fieldManager'>,
  kind?: GroupVersionKind,
): AdmissionRequest {
  return {
    context,
    kind: kind ?? kindOf(context),
    namespace: context.info.namespace,
    operation: 'CREATE',
    name: context.info.name || (object.metadata.name ?? ''),
    options: writeOptions('CreateOptions', context, options),
    isDryRun: options.isDryRun,
    object,
    oldObject: undefined,
  };
}

/** Returns the request of an update or a patch. */
export function change(
  context: RequestContext,
  object: KubernetesObject,
  oldObject: KubernetesObject,
  options: WriteOptions,
): AdmissionRequest {
  return {
    context,
    kind: kindOf(context),
    namespace: context.info.namespace,
    operation: 'UPDATE',
    name: context.info.name,
    options: writeOptions('UpdateOptions', context, options),
    isDryRun: options.isDryRun,
    object,
    oldObject,
  };
}

/** Returns the request of a delete; a collection has one for each object. */
export function deletion(
  context: RequestContext,
  oldObject: KubernetesObject,
  options: DeleteOptions,
): AdmissionRequest {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = options;
  return {
    context,
    kind: kindOf(context),
    namespace: context.info.namespace,
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

/** Returns the request of a CONNECT: exec, port-forward or proxy. `object` has its options. */
export function connection(context: RequestContext, kind: string, object: JsonObject): AdmissionRequest {
  return {
    context,
    kind: { group: '', version: 'v1', kind },
    namespace: context.info.namespace,
    operation: 'CONNECT',
    name: context.info.name,
    options: undefined,
    isDryRun: false,
    object: { kind, apiVersion: 'v1', ...object } as unknown as KubernetesObject,
    oldObject: undefined,
  };
}

/** Returns the kind that the resource serves; that of a Scale is in another group. */
function kindOf({ resource: { type, scaleView } }: RequestContext): GroupVersionKind {
  const { group, version } = scaleView === undefined ? type : (parseGroupVersion(type.apiVersion) ?? type);
  return { group, version, kind: type.kind };
}

function writeOptions(
  kind: string,
  { query }: RequestContext,
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
