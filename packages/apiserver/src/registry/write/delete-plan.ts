import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { DeleteOptions, PropagationPolicy } from '../../resource/options.ts';
import type { ServedResource } from '../../resource/served-resource.ts';

/**
 * What a delete does to an object:
 *
 *     wait       it is on its way out already, and nothing this delete asks for hastens that
 *     mark       `next` is stored: something holds the object, and when it lets go the object goes
 *     windDown   `next` is stored and then removed: its kind announces its end, even an immediate one
 *     remove     it goes as it is
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
  const grace = settleGrace(resource, current, options);
  if (grace === 'pending') return { step: 'wait' };
  const next = deepCopy(current);
  // A kind with a finalizer of its own takes no other at first, whatever the delete says of dependents.
  if (resource.rules.prepareForDelete !== undefined && current.metadata.deletionTimestamp === undefined) {
    resource.rules.prepareForDelete(next, { nowMs });
    next.metadata.deletionTimestamp = formatTime(nowMs);
    return { step: 'mark', next };
  }
  settleFinalizers(next.metadata, policyOf(resource, current.metadata, options));
  const isHeld = (next.metadata.finalizers?.length ?? 0) > 0;
  if (grace === 'none') {
    if (!isHeld) return { step: 'remove' };
    markDeleted(next.metadata, 0, nowMs);
    return { step: 'mark', next };
  }
  markDeleted(next.metadata, grace.seconds, nowMs);
  return { step: isHeld || grace.seconds > 0 ? 'mark' : 'windDown', next };
}

/** Being deleted, with nothing left that holds it: an update that leaves an object so removes it. */
export function isReleased(resource: ServedResource, object: KubernetesObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (!deletionTimestamp || finalizers?.length || deletionGracePeriodSeconds > 0) return false;
  return !isNamespaces(resource) || specFinalizersOf(object).length === 0;
}

/** A namespace is first told to end; the finalizers of its spec hold it until it is empty. */
function planNamespaceDeletion(
  resource: ServedResource,
  current: KubernetesObject & { status?: object },
  options: DeleteOptions,
  nowMs: number,
): DeletePlan {
  if (current.metadata.deletionTimestamp === undefined) {
    const next = deepCopy(current);
    settleFinalizers(next.metadata, policyOf(resource, current.metadata, options));
    next.metadata.deletionTimestamp = formatTime(nowMs);
    next.status = { ...next.status, phase: 'Terminating' };
    return { step: 'mark', next };
  }
  if (specFinalizersOf(current).length > 0) return { step: 'wait' };
  const next = deepCopy(current);
  settleFinalizers(next.metadata, policyOf(resource, current.metadata, options));
  if (!next.metadata.finalizers?.length) return { step: 'remove' };
  next.metadata.deletionGracePeriodSeconds = 0;
  return { step: 'mark', next };
}

/** `none`: the kind knows no grace. `pending`: a period runs and this delete does not shorten it. */
function settleGrace(
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

/** Go's durations end here, after 292 years. */
const MAX_GRACE_SECONDS = 9_223_372_036;

/** The time of a deletion counts from its first request, whichever later one shortens it. */
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

/** A propagation policy is recorded as a finalizer, which the garbage collector works off. */
function settleFinalizers(metadata: ObjectMeta, policy: PropagationPolicy): void {
  const before = metadata.finalizers ?? [];
  const wanted = policy === 'Orphan' ? [ORPHAN] : policy === 'Foreground' ? [FOREGROUND] : [];
  const kept = before.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const isSettled = before.length === kept.length + wanted.length && wanted.every((name) => before.includes(name));
  if (isSettled) return;
  const finalizers = [...kept, ...wanted];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

/** What the options say, else what a finalizer says that is there already, else what the kind is used to. */
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

/** Kinds older than the garbage collector leave their pods alone unless told otherwise. */
export function orphansByDefault({ type: { group, plural } }: ServedResource): boolean {
  return (group === '' && plural === 'replicationcontrollers') || (group === 'batch' && plural === 'jobs');
}

export function isNamespaces({ type: { group, plural } }: ServedResource): boolean {
  return group === '' && plural === 'namespaces';
}

/** Events own nothing and are owned by nobody. */
function isEvents({ type: { plural } }: ServedResource): boolean {
  return plural === 'events';
}

function specFinalizersOf(object: KubernetesObject & { spec?: { finalizers?: string[] } }): readonly string[] {
  return object.spec?.finalizers ?? [];
}
