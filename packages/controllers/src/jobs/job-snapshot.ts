import type { Job, JobSpec } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { isActive, isReady } from '../common/pods.ts';
import { IndexSet } from './index-set.ts';
import { matchFailurePolicy } from './pod-failure-policy.ts';
import {
  completionIndexOf,
  finishedAtMs,
  ignoredIndexFailuresOf,
  indexFailuresOf,
  isFailed,
  isTerminating,
  isTracked,
} from './tracked-pod.ts';

/** Spec of a Job, with defaults. */
interface JobSettings {
  readonly spec: JobSpec;
  readonly isIndexed: boolean;
  readonly isSuspended: boolean;
  readonly parallelism: number;
  /** `undefined`: one succeeded pod completes the Job. */
  readonly completions: number | undefined;
  readonly backoffLimit: number;
}

/** State of a Job and its pods at the start of a sync. */
export interface JobSnapshot extends JobSettings {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  readonly ready: number;
  /** Pods that ended and are not counted in the status yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Succeeded indexes in the status. */
  readonly countedIndexes: IndexSet;
  readonly succeededIndexes: IndexSet;
  /** Only for Jobs with `backoffLimitPerIndex`. */
  readonly failedIndexes: IndexSet | undefined;
  /** Failed pods by index that are kept until a replacement carries over their failure counts. */
  readonly awaitingReplacement: ReadonlyMap<number, Pod>;
}

function settingsOf({ spec = { template: {} } }: Job): JobSettings {
  return {
    spec,
    isIndexed: spec.completionMode === 'Indexed',
    isSuspended: spec.suspend === true,
    parallelism: spec.parallelism ?? 1,
    completions: spec.completions,
    backoffLimit: spec.backoffLimit ?? 6,
  };
}

export function takeSnapshot(job: Job, pods: readonly Pod[]): JobSnapshot {
  const settings = settingsOf(job);
  const { spec, isIndexed, completions = 0 } = settings;
  const { status = {} } = job;
  const uncounted = status.uncountedTerminatedPods ?? {};
  const valid = pods.filter((pod) => isTracked(pod) && (!isIndexed || hasValidIndex(pod, completions)));
  const active = pods.filter(isActive);
  const newlySucceeded = valid.filter(
    ({ metadata, status: ended }) => ended?.phase === 'Succeeded' && !uncounted.succeeded?.includes(metadata.uid ?? ''),
  );
  const newlyFailed = valid.filter((pod) => isFailed(pod, spec) && !uncounted.failed?.includes(pod.metadata.uid ?? ''));
  const countedIndexes = IndexSet.parse(isIndexed ? (status.completedIndexes ?? '') : '', completions);
  const succeededIndexes = countedIndexes.with(
    isIndexed ? indexesOf(valid.filter(({ status: ended }) => ended?.phase === 'Succeeded')) : [],
  );
  const failedIndexes = failedIndexesOf(job, settings, valid);
  return {
    ...settings,
    job,
    pods,
    active,
    terminating: pods.filter(isTerminating),
    ready: active.filter(isReady).length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed
      ? succeededIndexes.size
      : (status.succeeded ?? 0) + newlySucceeded.length + (uncounted.succeeded ?? []).length,
    failed:
      (status.failed ?? 0) +
      newlyFailed.filter((pod) => matchFailurePolicy(spec.podFailurePolicy, pod).isCounted).length +
      (uncounted.failed ?? []).length,
    countedIndexes,
    succeededIndexes,
    failedIndexes,
    awaitingReplacement:
      failedIndexes === undefined
        ? new Map()
        : awaitingReplacementOf(
            valid.filter((pod) => isFailed(pod, spec)),
            succeededIndexes.union(failedIndexes).with(indexesOf(active)),
          ),
  };
}

export function indexesOf(pods: readonly Pod[]): number[] {
  return pods.map(completionIndexOf).filter((index) => index !== undefined);
}

export function hasValidIndex(pod: Pod, completions: number): boolean {
  return (completionIndexOf(pod) ?? completions) < completions;
}

function failedIndexesOf(
  { status }: Job,
  { spec, isIndexed }: JobSettings,
  valid: readonly Pod[],
): IndexSet | undefined {
  const { backoffLimitPerIndex: limit, completions = 0, podFailurePolicy } = spec;
  if (!isIndexed || limit === undefined) return undefined;
  const failed = valid.filter((pod) => {
    if (!isFailed(pod, spec)) return false;
    const { action, isCounted } = matchFailurePolicy(podFailurePolicy, pod);
    return action === 'FailIndex' || (isCounted && indexFailuresOf(pod) >= limit);
  });
  return IndexSet.parse(status?.failedIndexes ?? '', completions).with(indexesOf(failed));
}

/** Returns the last failed pod of each index that is retried. */
function awaitingReplacementOf(failed: readonly Pod[], settled: IndexSet): Map<number, Pod> {
  const kept = new Map<number, Pod>();
  for (const pod of failed) {
    const index = completionIndexOf(pod)!;
    const other = kept.get(index);
    if (!settled.has(index) && (other === undefined || isLater(pod, other))) kept.set(index, pod);
  }
  return kept;
}

function isLater(pod: Pod, other: Pod): boolean {
  const failures = (one: Pod): number => indexFailuresOf(one) + ignoredIndexFailuresOf(one);
  return failures(pod) >= failures(other) && finishedAtMs(pod) >= finishedAtMs(other);
}
