import type { SuccessPolicy } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { IndexSet } from './index-set.ts';
import { holding } from './job-conditions.ts';
import { judgeFailure } from './pod-failure-policy.ts';
import type { Survey } from './survey.ts';
import { isFailed } from './tracked-pod.ts';

/** How a job ends, and why. */
export interface Verdict {
  /** The condition that is noted at once; the job is over only when its pods are, too. */
  readonly interim: 'FailureTarget' | 'SuccessCriteriaMet';
  readonly reason: string;
  readonly message: string;
}

export const COMPLETED: Verdict = {
  interim: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** What was decided before holds; else failures come before successes. `undefined`: the job goes on. */
export function judge(view: Survey, startMs: number | undefined, nowMs: number): Verdict | undefined {
  return decided(view) ?? failure(view, startMs, nowMs) ?? indexFailure(view) ?? success(view);
}

/** When the time a job has is over; `undefined` when it has any time, or does not run. */
export function deadlineMs({ spec, isSuspended }: Survey, startMs: number | undefined): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startMs === undefined || isSuspended) return undefined;
  return startMs + Number(spec.activeDeadlineSeconds) * 1_000;
}

function decided({ job }: Survey): Verdict | undefined {
  for (const interim of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const condition = holding(job.status?.conditions, interim);
    if (condition !== undefined) return { interim, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function failure(view: Survey, startMs: number | undefined, nowMs: number): Verdict | undefined {
  const { spec, pods } = view;
  for (const pod of spec.podFailurePolicy === undefined ? [] : pods) {
    const message = isFailed(pod, spec) && judgeFailure(spec.podFailurePolicy, pod).jobFailure;
    if (message) return failed('PodFailurePolicy', message);
  }
  if (view.failed > view.backoffLimit || hasRestartedTooOften(view))
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if ((deadlineMs(view, startMs) ?? Number.POSITIVE_INFINITY) <= nowMs)
    return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  return undefined;
}

/** Containers that are started again in their pods count as pods that are made again would. */
function hasRestartedTooOften({ spec, pods, backoffLimit }: Survey): boolean {
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

function indexFailure({ spec, failedIndexes, succeededIndexes, completions = 0 }: Survey): Verdict | undefined {
  if (failedIndexes === undefined) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes)
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions)
    return failed('FailedIndexes', 'Job has failed indexes');
  return undefined;
}

function success({ spec, isIndexed, succeededIndexes, completions = 0 }: Survey): Verdict | undefined {
  const message = isIndexed ? matchSuccess(spec.successPolicy, succeededIndexes, completions) : undefined;
  return message === undefined ? undefined : { interim: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message };
}

function failed(reason: string, message: string): Verdict {
  return { interim: 'FailureTarget', reason, message };
}

/** Why the job has done enough; `undefined` while it has not. */
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
