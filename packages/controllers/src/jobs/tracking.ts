import type { JobStatus } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { judgeFailure } from './pod-failure-policy.ts';
import type { Survey } from './survey.ts';
import { hasValidIndex } from './survey.ts';
import { completionIndexOf, isFailed, isTracked } from './tracked-pod.ts';
import type { Verdict } from './verdict.ts';

/** Uids that one status update adds at most; the rest follows when these are counted. */
const MAX_UNCOUNTED = 500;

/** A status that is being built. `statusOf` leaves out empty counters. */
export type StatusDraft = JobStatus & { uncountedTerminatedPods: { succeeded: string[]; failed: string[] } };

/** Ended pods that fit into the status at once. */
interface Ended {
  /** Pods whose finalizer is removed after the status with their uids is written. */
  readonly pods: readonly Pod[];
  readonly isComplete: boolean;
}

/**
 * Counts each pod exactly once, despite interruptions: its uid is added to the status, then its finalizer is removed,
 * then its uid becomes part of a counter. A succeeded index is counted once in any case and needs no uid.
 */
export function noteEnded(status: StatusDraft, view: Survey, verdict: Verdict | undefined): Ended {
  const uncounted = status.uncountedTerminatedPods;
  const pods: Pod[] = [];
  const newIndexes: number[] = [];
  for (const pod of inOrder(view)) {
    if (!isTracked(pod) || !mayBeReleased(pod, view, verdict)) continue;
    pods.push(pod);
    const { uid = '' } = pod.metadata;
    if (pod.status?.phase === 'Succeeded' && !uncounted.failed.includes(uid)) {
      if (view.isIndexed) newIndexes.push(...newIndexOf(pod, view));
      else if (!uncounted.succeeded.includes(uid)) uncounted.succeeded.push(uid);
    } else if (isCountedAsFailed(pod, view, verdict) && !uncounted.failed.includes(uid)) uncounted.failed.push(uid);
    if (newIndexes.length + uncounted.succeeded.length + uncounted.failed.length >= MAX_UNCOUNTED) break;
  }
  if (view.isIndexed) noteIndexes(status, view, newIndexes);
  const all = view.pods.filter((pod) => isTracked(pod) && mayBeReleased(pod, view, verdict));
  return { pods, isComplete: pods.length === all.length };
}

/** Moves uids of pods without the finalizer into the counters. */
export function countReleased(status: StatusDraft, tracked: ReadonlySet<string>): void {
  const uncounted = status.uncountedTerminatedPods;
  for (const outcome of ['succeeded', 'failed'] as const) {
    const left = uncounted[outcome].filter((uid) => tracked.has(uid));
    status[outcome] = (status[outcome] ?? 0) + uncounted[outcome].length - left.length;
    uncounted[outcome] = left;
  }
}

function inOrder({ isIndexed, pods }: Survey): readonly Pod[] {
  return isIndexed ? [...pods].sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1)) : pods;
}

/** A failed pod keeps its finalizer until its replacement has its failure count. */
function mayBeReleased(pod: Pod, view: Survey, verdict: Verdict | undefined): boolean {
  const { job, spec, awaitingReplacement } = view;
  if (job.metadata.deletionTimestamp !== undefined || verdict !== undefined || pod.status?.phase === 'Succeeded')
    return true;
  const awaiting = awaitingReplacement.get(completionIndexOf(pod) ?? -1);
  return isFailed(pod, spec) && awaiting?.metadata.uid !== pod.metadata.uid;
}

/** When the Job has failed, pods that had not ended count as failed. */
function isCountedAsFailed(pod: Pod, { spec, isIndexed, completions = 0 }: Survey, verdict: Verdict | undefined) {
  if (!isFailed(pod, spec) && verdict?.interim !== 'FailureTarget') return false;
  if (isIndexed && !hasValidIndex(pod, completions)) return false;
  return judgeFailure(spec.podFailurePolicy, pod).isCounted;
}

function newIndexOf(pod: Pod, { completions = 0, countedIndexes }: Survey): number[] {
  const index = completionIndexOf(pod);
  return index !== undefined && index < completions && !countedIndexes.has(index) ? [index] : [];
}

function noteIndexes(status: StatusDraft, { countedIndexes, failedIndexes }: Survey, added: readonly number[]): void {
  const succeeded = countedIndexes.with(added);
  status.succeeded = succeeded.size;
  status.completedIndexes = succeeded.toString();
  if (failedIndexes !== undefined) status.failedIndexes = failedIndexes.toString();
}
