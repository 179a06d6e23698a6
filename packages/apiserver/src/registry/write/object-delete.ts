import type { KubernetesObject } from '@pintle/machinery';
import { conflictError, forbiddenError, isNotFound, notFoundError } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import { deletion } from '../../resource/admission-request.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { DeleteOptions } from '../../resource/options.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import type { StoredVersion, WrittenObject } from '../../storage/object-store.ts';
import { findObject, findRecord, removeObject, toObjects, writeObject } from '../../storage/object-store.ts';
import { authorizeAs } from './admit.ts';
import { refuseUnsafe } from './delete-options.ts';
import type { DeletePlan } from './delete-plan.ts';
import { isNamespaces, orphansByDefault, planDeletion } from './delete-plan.ts';
import { fenceGuards } from './shard-fence.ts';

const ORPHANS_JOBS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Outcome of a delete: the object was removed, or marked because something holds it. */
export interface Deletion extends WrittenObject {
  readonly isGone: boolean;
}

export function warnOfOrphans(context: RequestContext, options: DeleteOptions): void {
  if (context.resource.type.plural !== 'jobs' || !orphansByDefault(context.resource)) return;
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined)
    context.warnings.add(ORPHANS_JOBS);
}

export async function deleteObject(
  context: RequestContext,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Promise<Deletion> {
  const { store, resource, clock } = context;
  const { permanent } = resource.rules;
  if (permanent?.names.has(name)) throw forbiddenError(groupResourceOf(resource), name, permanent.reason);
  let expected = options;
  for (;;) {
    const current = await findObject(store, resource, namespace, name, { isFresh: true });
    if (current === undefined) throw notFoundError(groupResourceOf(resource), name);
    checkPreconditions(context, current.object, expected);
    await context.admission.admit(deletion(context, current.object, options));
    const plan = planDeletion(resource, current.object, options, clock.now());
    if (options.isDryRun) return dryRunDelete(plan, current.object);
    const done = await carryOut(context, plan, current);
    if (done !== undefined) return done;
    expected = withUid(expected, current.object);
  }
}

/** Pins the uid, so that a retry does not delete another object of the same name. */
function withUid(options: DeleteOptions, { metadata }: KubernetesObject): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, ...(metadata.uid && { uid: metadata.uid }) } };
}

function dryRunDelete(plan: DeletePlan, current: KubernetesObject): Deletion {
  switch (plan.step) {
    case 'wait':
      return { object: current, isGone: false };
    case 'remove':
      return { object: current, isGone: true };
    default:
      return { object: plan.next, isGone: plan.step === 'windDown' };
  }
}

/** Returns `undefined` when the object has changed: read it again. */
async function carryOut(
  context: RequestContext,
  plan: DeletePlan,
  current: StoredVersion,
): Promise<Deletion | undefined> {
  switch (plan.step) {
    case 'wait':
      return { object: current.object, isGone: false };
    case 'remove':
      return await take(context, current);
    case 'mark':
      return await mark(context, plan.next, current);
    case 'windDown': {
      const marked = await mark(context, plan.next, current);
      if (marked === undefined) return undefined;
      const { metadata } = marked.object;
      const stored = await findObject(context.store, context.resource, metadata.namespace ?? '', metadata.name ?? '');
      // A watcher of its end may have removed it already, which is the desired outcome.
      if (stored?.object.metadata.uid !== metadata.uid) return { object: marked.object, isGone: true };
      return await take(context, stored!);
    }
  }
}

async function take(context: RequestContext, { object, record }: StoredVersion): Promise<Deletion | undefined> {
  const also = (await context.resource.allocator?.allocate(context, undefined, object, { isDryRun: false })) ?? [];
  const fences = await fenceGuards(context, object.metadata.name ?? '');
  const outcome = await removeObject(context.store, record, { also: [...fences, ...also] });
  if (!('revision' in outcome)) return undefined;
  object.metadata.resourceVersion = String(outcome.revision);
  return { object, isGone: true };
}

async function mark(
  context: RequestContext,
  next: KubernetesObject,
  current: StoredVersion,
): Promise<Deletion | undefined> {
  if (deepEqual(next, current.object)) return { object: current.object, isGone: false };
  const guards = await fenceGuards(context, next.metadata.name ?? '');
  const outcome = await writeObject(context.store, context.resource, next, current.record.modRevision, { guards });
  if ('refused' in outcome) return undefined;
  return { ...outcome, isGone: false };
}

function checkPreconditions(
  context: RequestContext,
  { metadata }: KubernetesObject,
  { preconditions: { uid, resourceVersion } = {} }: DeleteOptions,
): void {
  const name = metadata.name ?? '';
  if (uid !== undefined && uid !== metadata.uid) {
    throw mismatch(context, name, ['UID', uid, metadata.uid, 'deleted and then recreated']);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw mismatch(context, name, ['ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified']);
  }
}

/**
 * Returns the error for a failed precondition. Namespaces and definitions, which are deleted in steps, have another
 * wording.
 */
function mismatch(
  { resource }: RequestContext,
  name: string,
  [what, wanted, found = '', fate]: readonly [string, string, string | undefined, string],
): Error {
  if (isNamespaces(resource) || resource.rules.prepareForDelete !== undefined) {
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    return conflictError(groupResourceOf(resource), name, why);
  }
  return conflictError(
    { group: resource.storage.group, resource: resource.type.kind },
    name,
    `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${fate}`,
  );
}

/** Objects that are deleted at a time, so that they share commits. */
const AT_ONCE = 32;

/**
 * Returns the number of objects to delete at a time: one where admission may refuse, so that those after a refusal
 * stay.
 */
export async function batchSizeFor(
  context: RequestContext,
  records: readonly StoreRecord[],
  options: DeleteOptions,
): Promise<number> {
  const [first] = await toObjects(context.resource, records.slice(0, 1));
  return first && context.admission.handles(deletion(context, first, options)) ? 1 : AT_ONCE;
}

/**
 * Deletes objects and returns the keys of those that were gone already. Waits for all before it throws the first
 * refusal.
 */
export async function deleteRecords(
  context: RequestContext,
  records: readonly StoreRecord[],
  options: DeleteOptions,
): Promise<string[]> {
  const objects = await toObjects(context.resource, records);
  const outcomes = await Promise.allSettled(objects.map((object) => deleteIfThere(context, object, options)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return records.flatMap(({ key }, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'fulfilled' && !outcome.value ? [key] : [];
  });
}

async function deleteIfThere(
  context: RequestContext,
  object: KubernetesObject,
  options: DeleteOptions,
): Promise<boolean> {
  try {
    const { namespace = '', name = '' } = object.metadata;
    await deleteObject(context, namespace, name, options);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const ANNOTATION = 'apiserver.k8s.io/unsafe-delete-ignore-read-error';
const READABLE = 'is exclusively used to delete corrupt object(s), try again by removing this option';

/**
 * Deletes an object that cannot be read (`ignoreStoreReadErrorWithClusterBreakingPotential`). Its content is unknown,
 * so finalizers, preconditions, grace period and admission do not apply. Throws 403 unless the user may also do that,
 * and 422 for an object that is readable or absent, as Kubernetes does.
 */
export async function deleteUnread(context: RequestContext): Promise<void> {
  context.audit?.annotate(ANNOTATION, '');
  await authorizeAs(context, 'unsafe-delete-ignore-read-errors');
  const damage = await damageOf(context);
  if (damage === undefined) {
    const { group, plural } = context.resource.type;
    return refuseUnsafe({ group, kind: plural }, context.info.name, READABLE);
  }
  await context.store.commit([{ type: 'delete', ...damage }]);
}

/** Returns the key and revision of the damaged record, so that nothing newer is deleted. */
async function damageOf({ store, resource, info }: RequestContext) {
  try {
    const record = await findRecord(store, resource, info.namespace, info.name);
    if (record !== undefined) await toObjects(resource, [record]);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Corrupt') throw error;
    const { key, revision } = error.failure;
    if (key === undefined || revision === undefined) throw error;
    return { key, expected: revision };
  }
}
