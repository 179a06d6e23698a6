import type { JobStatus } from '../../../generated/batch/v1.ts';

export function hasCondition({ conditions = [] }: JobStatus, type: string, status = 'True'): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === status);
}

export function isFinished(status: JobStatus): boolean {
  return hasCondition(status, 'Complete') || hasCondition(status, 'Failed');
}
