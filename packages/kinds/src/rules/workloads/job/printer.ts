import type { Printer } from '@pintle/machinery/rules';
import { formatLabelSelector } from '@pintle/machinery/selectors';
import { humanDuration } from '@pintle/machinery/time';
import type { Job } from '../../../generated/batch/v1.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { containerCells, containerColumns, selectorColumn } from '../workload-columns.ts';
import { hasCondition } from './status.ts';

export const jobPrinter: Printer<Job> = {
  columns: [
    nameColumn,
    column('Status'),
    column('Completions'),
    column('Duration'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  row: (job, context) => [
    nameOf(job),
    statusOf(job),
    completionsOf(job),
    durationOf(job, context.nowMs),
    age(job, context),
    ...containerCells(job.spec?.template),
    formatLabelSelector(job.spec?.selector),
  ],
};

function statusOf({ metadata, status = {} }: Job): string {
  const ended = ['Complete', 'Failed'].find((type) => hasCondition(status, type));
  if (ended !== undefined) return ended;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(status, type)) ?? 'Running';
}

function completionsOf({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, nowMs: number): string {
  if (!status?.startTime) return '';
  const endMs = status.completionTime ? Date.parse(status.completionTime) : nowMs;
  return humanDuration(endMs - Date.parse(status.startTime));
}
