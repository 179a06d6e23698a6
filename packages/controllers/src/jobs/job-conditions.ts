import type { Job, JobCondition } from '@pintle/kinds/batch/v1';
import { formatTime } from '@pintle/machinery/time';

type Conditions = readonly JobCondition[];
type Words = Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Returns the condition of this type when its status is True. */
export function holding(conditions: Conditions | undefined, type: string): JobCondition | undefined {
  return conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** Returns the condition `Complete` or `Failed` of a finished Job. */
export function finishedAs({ status }: Job): JobCondition | undefined {
  return holding(status?.conditions, 'Complete') ?? holding(status?.conditions, 'Failed');
}

/**
 * Sets a condition. Returns the same list when nothing changes. A condition that was never True is not added as False.
 */
export function withCondition(conditions: Conditions, words: Words, nowMs: number): Conditions {
  const before = conditions.find(({ type }) => type === words.type);
  if (before === undefined && words.status === 'False') return conditions;
  if (before?.status === words.status && before.reason === words.reason && before.message === words.message)
    return conditions;
  const time = formatTime(nowMs);
  const made = { ...words, lastProbeTime: time, lastTransitionTime: time };
  return before === undefined
    ? [...conditions, made]
    : conditions.map((condition) => (condition === before ? made : condition));
}

const THIS_CONTROLLER = 'kubernetes.io/job-controller';

/** True when another controller manages the Job. */
export function isManagedElsewhere({ spec }: Job): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== THIS_CONTROLLER;
}
