import type { JobStatus } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import type { JobOutcome } from './job-outcome.ts';
import type { JobSnapshot } from './job-snapshot.ts';
import { hasValidIndex } from './job-snapshot.ts';
import { matchFailurePolicy } from './pod-failure-policy.ts';
import { completionIndexOf, isFailed, isTracked } from './tracked-pod.ts';

/** Uids that one status update adds at most; the rest follows when these are counted. */
const MAX_UNCOUNTED = 500;

/** A status that is being built. `statusOf` leaves out empty counters. */
export type StatusDraft = JobStatus & { uncountedTerminatedPods: { succeeded: string[]; failed: string[] } };

/** Ended pods that fit into the status at once. */
interface UncountedPods {
  /** Pods whose finalizer is removed after the status with their uids is written. */
  readonly pods: readonly Pod[];
  readonly isComplete: boolean;
}

/**
 * Counts each pod exactly once, despite interruptions: its uid is added to the status, then its finalizer is removed,
 * then its uid becomes part of a counter. A succeeded index is counted once in any case and needs no uid.
 */
export function addUncounted(
  status: StatusDraft,
  snapshot: JobSnapshot,
  outcome: JobOutcome | undefined,
): UncountedPods {
  const uncounted = status.uncountedTerminatedPods;
  const pods: Pod[] = [];
  const newIndexes: number[] = [];
  for (const pod of sorted(snapshot)) {
    if (!isTracked(pod) || !mayRemoveFinalizer(pod, snapshot, outcome)) continue;
    pods.push(pod);
    const { uid = '' } = pod.metadata;
    if (pod.status?.phase === 'Succeeded' && !uncounted.failed.includes(uid)) {
      if (snapshot.isIndexed) newIndexes.push(...uncountedIndexOf(pod, snapshot));
      else if (!uncounted.succeeded.includes(uid)) uncounted.succeeded.push(uid);
    } else if (isCountedAsFailed(pod, snapshot, outcome) && !uncounted.failed.includes(uid)) uncounted.failed.push(uid);
    if (newIndexes.length + uncounted.succeeded.length + uncounted.failed.length >= MAX_UNCOUNTED) break;
  }
  if (snapshot.isIndexed) updateIndexes(status, snapshot, newIndexes);
  const all = snapshot.pods.filter((pod) => isTracked(pod) && mayRemoveFinalizer(pod, snapshot, outcome));
  return { pods, isComplete: pods.length === all.length };
}

/** Moves uids of pods without the finalizer into the counters. */
export function flushUncounted(status: StatusDraft, tracked: ReadonlySet<string>): void {
  const uncounted = status.uncountedTerminatedPods;
  for (const outcome of ['succeeded', 'failed'] as const) {
    const left = uncounted[outcome].filter((uid) => tracked.has(uid));
    status[outcome] = (status[outcome] ?? 0) + uncounted[outcome].length - left.length;
    uncounted[outcome] = left;
  }
}

function sorted({ isIndexed, pods }: JobSnapshot): readonly Pod[] {
  return isIndexed ? [...pods].sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1)) : pods;
}

/** A failed pod keeps its finalizer until its replacement has its failure count. */
function mayRemoveFinalizer(pod: Pod, snapshot: JobSnapshot, outcome: JobOutcome | undefined): boolean {
  const { job, spec, awaitingReplacement } = snapshot;
  if (job.metadata.deletionTimestamp !== undefined || outcome !== undefined || pod.status?.phase === 'Succeeded')
    return true;
  const awaiting = awaitingReplacement.get(completionIndexOf(pod) ?? -1);
  return isFailed(pod, spec) && awaiting?.metadata.uid !== pod.metadata.uid;
}

/** When the Job has failed, pods that had not ended count as failed. */
function isCountedAsFailed(
  pod: Pod,
  { spec, isIndexed, completions = 0 }: JobSnapshot,
  outcome: JobOutcome | undefined,
) {
  if (!isFailed(pod, spec) && outcome?.interim !== 'FailureTarget') return false;
  if (isIndexed && !hasValidIndex(pod, completions)) return false;
  return matchFailurePolicy(spec.podFailurePolicy, pod).isCounted;
}

function uncountedIndexOf(pod: Pod, { completions = 0, countedIndexes }: JobSnapshot): number[] {
  const index = completionIndexOf(pod);
  return index !== undefined && index < completions && !countedIndexes.has(index) ? [index] : [];
}

function updateIndexes(
  status: StatusDraft,
  { countedIndexes, failedIndexes }: JobSnapshot,
  added: readonly number[],
): void {
  const succeeded = countedIndexes.with(added);
  status.succeeded = succeeded.size;
  status.completedIndexes = succeeded.toString();
  if (failedIndexes !== undefined) status.failedIndexes = failedIndexes.toString();
}
