import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { conflictError, forbiddenError, notFoundError } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { ApiResponse } from '../http/exchange.ts';
import type { StoredVersion } from '../storage/object-store.ts';
import { findObject, removeObject, writeObject } from '../storage/object-store.ts';
import { answerObject, answerValue, negotiateAnswer } from './answer.ts';
import type { DeleteOptions } from './delete-options.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { EndpointCall } from './endpoint.ts';
import { formatTime } from './object-metadata.ts';
import { groupResourceOf } from './served-resource.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
const PERMANENT_NAMESPACES = new Set(['default', 'kube-system', 'kube-public']);

/** What a delete did: took the object away, or marked it because something still holds it. */
export interface Deletion {
  readonly object: KubernetesObject;
  readonly isGone: boolean;
}

export async function remove(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call, ['Table', 'PartialObjectMetadata']);
  const options = await readDeleteOptions(call);
  const { object, isGone } = await deleteObject(call, call.info.namespace, call.info.name, options);
  const status = !isGone && options.orphanDependents === false ? 202 : 200;
  if (!isGone || call.resource.rules.returnsDeletedObject) return await answerObject(call, form, status, object);
  const { transform: _transform, ...plain } = form;
  return await answerValue(call.resource, plain, 200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.metadata.name ?? '',
      ...(call.resource.type.group !== '' && { group: call.resource.type.group }),
      kind: call.resource.type.plural,
      uid: object.metadata.uid ?? '',
    },
  });
}

export async function deleteObject(
  call: EndpointCall,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Promise<Deletion> {
  const { store, resource, clock } = call;
  if (isNamespace(call) && PERMANENT_NAMESPACES.has(name)) {
    throw forbiddenError(groupResourceOf(resource), name, 'this namespace may not be deleted');
  }
  for (;;) {
    const current = await findObject(store, resource, namespace, name);
    if (current === undefined) throw notFoundError(groupResourceOf(resource), name);
    checkPreconditions(call, current.object, options);
    const next = deepCopy(current.object);
    const isHeld = markDeleted(next, options, call, clock.now());
    if (options.isDryRun) return { object: isHeld ? next : current.object, isGone: !isHeld };
    const done = isHeld ? await hold(call, next, current) : await take(call, current);
    if (done !== undefined) return done;
  }
}

async function take(call: EndpointCall, current: StoredVersion): Promise<Deletion | undefined> {
  const outcome = await removeObject(call.store, current.record);
  return 'revision' in outcome ? { object: current.object, isGone: true } : undefined;
}

async function hold(call: EndpointCall, next: KubernetesObject, current: StoredVersion): Promise<Deletion | undefined> {
  const isFirst = current.object.metadata.deletionTimestamp === undefined;
  if (!isFirst && deepEqual(next, current.object)) return { object: current.object, isGone: false };
  const outcome = await writeObject(call.store, call.resource, next, current.record.modRevision);
  if (!('revision' in outcome)) return undefined;
  next.metadata.resourceVersion = String(outcome.revision);
  return { object: next, isGone: false };
}

/** Records in the object that it is to go, and whether something holds it: finalizers, a grace period. */
function markDeleted(next: KubernetesObject, options: DeleteOptions, call: EndpointCall, nowMs: number): boolean {
  const { metadata } = next;
  settleFinalizers(metadata, options);
  const graceSeconds = graceOf(call, next, options);
  const isHeld = (metadata.finalizers?.length ?? 0) > 0 || graceSeconds > 0 || hasNamespaceFinalizers(call, next);
  if (!isHeld) return false;
  const isFirst = metadata.deletionTimestamp === undefined;
  if (isFirst) {
    metadata.deletionTimestamp = formatTime(nowMs + graceSeconds * 1000);
    metadata.deletionGracePeriodSeconds = graceSeconds;
    if (metadata.generation !== undefined) metadata.generation += 1;
    if (isNamespace(call))
      (next as { status?: object }).status = { ...(next as { status?: object }).status, phase: 'Terminating' };
  } else if (graceSeconds < (metadata.deletionGracePeriodSeconds ?? 0)) {
    const begun = Date.parse(metadata.deletionTimestamp!) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    metadata.deletionTimestamp = formatTime(begun + graceSeconds * 1000);
    metadata.deletionGracePeriodSeconds = graceSeconds;
  }
  return true;
}

function graceOf(call: EndpointCall, object: KubernetesObject, options: DeleteOptions): number {
  const requested = options.gracePeriodSeconds;
  return call.resource.rules.graceSeconds?.(object, requested !== undefined && requested < 0 ? 1 : requested) ?? 0;
}

/** A propagation policy is recorded as a finalizer, which the garbage collector works off. */
function settleFinalizers(metadata: ObjectMeta, options: DeleteOptions): void {
  const policy = policyOf(options);
  if (policy === undefined) return;
  const others = (metadata.finalizers ?? []).filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const added = policy === 'Orphan' ? [ORPHAN] : policy === 'Foreground' ? [FOREGROUND] : [];
  const finalizers = [...others, ...added];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

function policyOf({ propagationPolicy, orphanDependents }: DeleteOptions): DeleteOptions['propagationPolicy'] {
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background';
  return propagationPolicy;
}

function isNamespace(call: EndpointCall): boolean {
  return call.resource.type.group === '' && call.resource.type.plural === 'namespaces';
}

function hasNamespaceFinalizers(
  call: EndpointCall,
  object: KubernetesObject & { spec?: { finalizers?: string[] } },
): boolean {
  return isNamespace(call) && (object.spec?.finalizers?.length ?? 0) > 0;
}

function checkPreconditions(
  call: EndpointCall,
  { metadata }: KubernetesObject,
  { preconditions }: DeleteOptions,
): void {
  const resource = { group: call.resource.type.group, resource: call.resource.type.kind };
  const name = metadata.name ?? '';
  if (preconditions.uid !== undefined && preconditions.uid !== metadata.uid) {
    throw conflictError(
      resource,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    throw conflictError(
      resource,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}
