import type { Job } from '@pintle/kinds/batch/v1';

const THIS_CONTROLLER = 'kubernetes.io/job-controller';

/** Somebody else looks after it. */
export function isManagedElsewhere({ spec }: Job): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== THIS_CONTROLLER;
}
