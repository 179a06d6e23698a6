import type { Job, JobCondition } from '@pintle/kinds/batch/v1';
import { formatTime } from '@pintle/machinery/time';

type Conditions = readonly JobCondition[];
type ConditionFields = Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Returns the condition of this type when its status is True. */
export function trueCondition(conditions: Conditions | undefined, type: string): JobCondition | undefined {
  return conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** Returns the condition `Complete` or `Failed` of a finished Job. */
export function finishedCondition({ status }: Job): JobCondition | undefined {
  return trueCondition(status?.conditions, 'Complete') ?? trueCondition(status?.conditions, 'Failed');
}

/**
 * Sets a condition. Returns the same list when nothing changes. A condition that was never True is not added as False.
 */
export function withCondition(conditions: Conditions, fields: ConditionFields, nowMs: number): Conditions {
  const before = conditions.find(({ type }) => type === fields.type);
  if (before === undefined && fields.status === 'False') return conditions;
  if (before?.status === fields.status && before.reason === fields.reason && before.message === fields.message)
    return conditions;
  const time = formatTime(nowMs);
  const created = { ...fields, lastProbeTime: time, lastTransitionTime: time };
  return before === undefined
    ? [...conditions, created]
    : conditions.map((condition) => (condition === before ? created : condition));
}

const THIS_CONTROLLER = 'kubernetes.io/job-controller';

/** True when another controller manages the Job. */
export function isManagedExternally({ spec }: Job): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== THIS_CONTROLLER;
}
