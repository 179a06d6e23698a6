import type { JobStatus } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { judgeFailure } from './pod-failure-policy.ts';
import type { Survey } from './survey.ts';
import { hasValidIndex } from './survey.ts';
import { completionIndexOf, isFailed, isTracked } from './tracked-pod.ts';
import type { Verdict } from './verdict.ts';

/** A status grows by so many uids at a time; the rest follows when these are counted. */
const MAX_UNCOUNTED = 500;

/** A status in the making. Counters of nothing are left out where it is written. */
export type StatusDraft = JobStatus & { uncountedTerminatedPods: { succeeded: string[]; failed: string[] } };

/** Pods that have ended, as far as they fit into the status at once. */
interface Ended {
  /** To be let go once the status that names them is written. */
  readonly pods: readonly Pod[];
  readonly isComplete: boolean;
}

/**
 * A pod is counted exactly once, however often this is interrupted: its uid goes into the status, then it is let go,
 * then its uid becomes a number. An index that succeeded needs no uid, it is counted once in any case.
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

/** Uids of pods that have been let go become numbers. */
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

/** One that failed stays while its index waits for the pod that takes over its count of failures. */
function mayBeReleased(pod: Pod, view: Survey, verdict: Verdict | undefined): boolean {
  const { job, spec, awaitingReplacement } = view;
  if (job.metadata.deletionTimestamp !== undefined || verdict !== undefined || pod.status?.phase === 'Succeeded')
    return true;
  const awaiting = awaitingReplacement.get(completionIndexOf(pod) ?? -1);
  return isFailed(pod, spec) && awaiting?.metadata.uid !== pod.metadata.uid;
}

/** When the job has failed, so has every pod that had not ended. */
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
