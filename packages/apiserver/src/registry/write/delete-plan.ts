import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { DeleteOptions, PropagationPolicy } from '../../resource/options.ts';
import type { ServedResource } from '../../resource/served-resource.ts';

/**
 * Effect of a delete on an object:
 *
 *     wait       the object is being deleted already, and this delete does not speed it up
 *     mark       store `next`: finalizers or grace hold the object; it is removed when they are done
 *     windDown   store `next`, then remove: the kind announces its end, even an immediate one
 *     remove     remove the object as it is
 */
export type DeletePlan =
  | { readonly step: 'wait' }
  | { readonly step: 'mark' | 'windDown'; readonly next: KubernetesObject }
  | { readonly step: 'remove' };

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export function planDeletion(
  resource: ServedResource,
  current: KubernetesObject,
  options: DeleteOptions,
  nowMs: number,
): DeletePlan {
  if (isNamespaces(resource)) return planNamespaceDeletion(resource, current, options, nowMs);
  const grace = resolveGracePeriod(resource, current, options);
  if (grace === 'pending') return { step: 'wait' };
  const next = deepCopy(current);
  // A kind with its own finalizer gets no other at first, whatever the propagation policy.
  if (resource.rules.prepareForDelete !== undefined && current.metadata.deletionTimestamp === undefined) {
    resource.rules.prepareForDelete(next, { nowMs });
    next.metadata.deletionTimestamp = formatTime(nowMs);
    return { step: 'mark', next };
  }
  setPropagationFinalizer(next.metadata, policyOf(resource, current.metadata, options));
  const isHeld = (next.metadata.finalizers?.length ?? 0) > 0;
  if (grace === 'none') {
    if (!isHeld) return { step: 'remove' };
    markDeleted(next.metadata, 0, nowMs);
    return { step: 'mark', next };
  }
  markDeleted(next.metadata, grace.seconds, nowMs);
  return { step: isHeld || grace.seconds > 0 ? 'mark' : 'windDown', next };
}

/** True when the object is being deleted and nothing holds it: an update that leaves an object so removes it. */
export function isReleased(resource: ServedResource, object: KubernetesObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (!deletionTimestamp || finalizers?.length || deletionGracePeriodSeconds > 0) return false;
  return !isNamespaces(resource) || specFinalizersOf(object).length === 0;
}

/** Marks a namespace as Terminating first; the finalizers of its spec hold it until it is empty. */
function planNamespaceDeletion(
  resource: ServedResource,
  current: KubernetesObject & { status?: object },
  options: DeleteOptions,
  nowMs: number,
): DeletePlan {
  if (current.metadata.deletionTimestamp === undefined) {
    const next = deepCopy(current);
    setPropagationFinalizer(next.metadata, policyOf(resource, current.metadata, options));
    next.metadata.deletionTimestamp = formatTime(nowMs);
    next.status = { ...next.status, phase: 'Terminating' };
    return { step: 'mark', next };
  }
  if (specFinalizersOf(current).length > 0) return { step: 'wait' };
  const next = deepCopy(current);
  setPropagationFinalizer(next.metadata, policyOf(resource, current.metadata, options));
  if (!next.metadata.finalizers?.length) return { step: 'remove' };
  next.metadata.deletionGracePeriodSeconds = 0;
  return { step: 'mark', next };
}

/**
 * Returns the grace period. `none`: the kind has no grace. `pending`: a period is running and this delete does not
 * shorten it.
 */
function resolveGracePeriod(
  { rules }: ServedResource,
  current: KubernetesObject,
  { gracePeriodSeconds }: DeleteOptions,
): 'none' | 'pending' | { readonly seconds: number } {
  if (rules.graceSeconds === undefined) return 'none';
  const requested = gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  const { deletionTimestamp, deletionGracePeriodSeconds: running = 0 } = current.metadata;
  // Integers beyond 2^53 are bigint.
  if (deletionTimestamp === undefined) return { seconds: Number(rules.graceSeconds(current, requested)) };
  if (running === 0) return 'none';
  return requested === undefined || requested >= running ? 'pending' : { seconds: requested };
}

/** Largest duration of Go, 292 years. */
const MAX_GRACE_SECONDS = 9_223_372_036;

/** Sets the deletion fields. The time counts from the first delete, even when a later one shortens the period. */
function markDeleted(metadata: ObjectMeta, graceSeconds: number, nowMs: number): void {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined) {
    metadata.deletionTimestamp = formatTime(nowMs + Math.min(graceSeconds, MAX_GRACE_SECONDS) * 1000);
    if (metadata.generation) metadata.generation += 1;
  } else if (graceSeconds < deletionGracePeriodSeconds) {
    const begunMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
    metadata.deletionTimestamp = formatTime(begunMs + graceSeconds * 1000);
  }
  metadata.deletionGracePeriodSeconds = graceSeconds;
}

/** Records the propagation policy as a finalizer for the garbage collector. */
function setPropagationFinalizer(metadata: ObjectMeta, policy: PropagationPolicy): void {
  const before = metadata.finalizers ?? [];
  const wanted = policy === 'Orphan' ? [ORPHAN] : policy === 'Foreground' ? [FOREGROUND] : [];
  const kept = before.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const isSet = before.length === kept.length + wanted.length && wanted.every((name) => before.includes(name));
  if (isSet) return;
  const finalizers = [...kept, ...wanted];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

/** Returns the policy of the options, else that of a finalizer on the object, else the default of the kind. */
function policyOf(
  resource: ServedResource,
  { finalizers = [] }: ObjectMeta,
  options: DeleteOptions,
): PropagationPolicy {
  if (isEvents(resource)) return 'Background';
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  const named = finalizers.find((name) => name === ORPHAN || name === FOREGROUND);
  if (named !== undefined) return named === ORPHAN ? 'Orphan' : 'Foreground';
  return orphansByDefault(resource) ? 'Orphan' : 'Background';
}

/** True for kinds older than the garbage collector, whose pods are orphaned by default. */
export function orphansByDefault({ type: { group, plural } }: ServedResource): boolean {
  return (group === '' && plural === 'replicationcontrollers') || (group === 'batch' && plural === 'jobs');
}

export function isNamespaces({ type: { group, plural } }: ServedResource): boolean {
  return group === '' && plural === 'namespaces';
}

/** Events have no owners and no dependents. */
function isEvents({ type: { plural } }: ServedResource): boolean {
  return plural === 'events';
}

function specFinalizersOf(object: KubernetesObject & { spec?: { finalizers?: string[] } }): readonly string[] {
  return object.spec?.finalizers ?? [];
}
