import type { SuccessPolicy } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { IndexSet } from './index-set.ts';
import { trueCondition } from './job-conditions.ts';
import type { JobSnapshot } from './job-snapshot.ts';
import { matchFailurePolicy } from './pod-failure-policy.ts';
import { isFailed } from './tracked-pod.ts';

/** Outcome of a Job, and the reason for it. */
export interface JobOutcome {
  /** Condition that is set at once. The Job is finished when its pods have ended too. */
  readonly interim: 'FailureTarget' | 'SuccessCriteriaMet';
  readonly reason: string;
  readonly message: string;
}

export const COMPLETED: JobOutcome = {
  interim: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** Returns the outcome: one that was set before, else a failure, else a success. `undefined` when the Job continues. */
export function decideOutcome(
  snapshot: JobSnapshot,
  startMs: number | undefined,
  nowMs: number,
): JobOutcome | undefined {
  return decided(snapshot) ?? failure(snapshot, startMs, nowMs) ?? indexFailure(snapshot) ?? success(snapshot);
}

/** Returns when the active deadline passes; `undefined` without one, or while suspended. */
export function deadlineMs({ spec, isSuspended }: JobSnapshot, startMs: number | undefined): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startMs === undefined || isSuspended) return undefined;
  return startMs + Number(spec.activeDeadlineSeconds) * 1_000;
}

function decided({ job }: JobSnapshot): JobOutcome | undefined {
  for (const interim of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const condition = trueCondition(job.status?.conditions, interim);
    if (condition !== undefined) return { interim, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function failure(snapshot: JobSnapshot, startMs: number | undefined, nowMs: number): JobOutcome | undefined {
  const { spec, pods } = snapshot;
  for (const pod of spec.podFailurePolicy === undefined ? [] : pods) {
    const message = isFailed(pod, spec) && matchFailurePolicy(spec.podFailurePolicy, pod).jobFailure;
    if (message) return failed('PodFailurePolicy', message);
  }
  if (snapshot.failed > snapshot.backoffLimit || hasRestartedTooOften(snapshot))
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if ((deadlineMs(snapshot, startMs) ?? Number.POSITIVE_INFINITY) <= nowMs)
    return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  return undefined;
}

/** Restarts of containers count like pods that are created again. */
function hasRestartedTooOften({ spec, pods, backoffLimit }: JobSnapshot): boolean {
  if (spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods.reduce((total, pod) => total + restartsIn(pod), 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function restartsIn({ status }: Pod): number {
  if (status?.phase !== 'Running' && status?.phase !== 'Pending') return 0;
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].reduce(
    (total, { restartCount = 0 }) => total + restartCount,
    0,
  );
}

function indexFailure({ spec, failedIndexes, succeededIndexes, completions = 0 }: JobSnapshot): JobOutcome | undefined {
  if (failedIndexes === undefined) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes)
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions)
    return failed('FailedIndexes', 'Job has failed indexes');
  return undefined;
}

function success({ spec, isIndexed, succeededIndexes, completions = 0 }: JobSnapshot): JobOutcome | undefined {
  const message = isIndexed ? matchSuccess(spec.successPolicy, succeededIndexes, completions) : undefined;
  return message === undefined ? undefined : { interim: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message };
}

function failed(reason: string, message: string): JobOutcome {
  return { interim: 'FailureTarget', reason, message };
}

/** Returns why the success policy is met; `undefined` while it is not. */
function matchSuccess(policy: SuccessPolicy | undefined, succeeded: IndexSet, completions: number): string | undefined {
  if (succeeded.size === 0) return undefined;
  for (const [position, { succeededIndexes, succeededCount }] of (policy?.rules ?? []).entries()) {
    const needed = succeededIndexes === undefined ? undefined : IndexSet.parse(succeededIndexes, completions);
    if (needed?.size === 0) continue;
    const done = needed?.overlap(succeeded) ?? succeeded.size;
    const isAll = done === needed?.size;
    if (isAll || (succeededCount !== undefined && done >= succeededCount)) return `Matched rules at index ${position}`;
  }
  return undefined;
}
