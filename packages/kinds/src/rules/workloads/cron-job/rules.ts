import { type FieldError, FieldPath, invalid, notSupported, required, tooLong } from '@pintle/machinery/errors';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector } from '@pintle/machinery/selectors';
import { formatAge, scheduleProblem } from '@pintle/machinery/time';
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../../generated/batch/v1.ts';
import { checkChoice, checkNonNegative, isEmpty, nonNegativeFields } from '../../common/checks.ts';
import { shownSelector } from '../../common/labels.ts';
import { keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { defaultPodTemplate } from '../../common/pod/defaults.ts';
import { dropDisabledTemplateFields } from '../../common/pod/disabled-fields.ts';
import { hostnameWarnings } from '../../common/pod/warnings/warnings.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { jobSpecWarnings, validateJobTemplateSpec } from '../job/spec.ts';
import { containerCells, containerColumns, selectorColumn } from '../workload-columns.ts';
import { validateTimeZone } from './time-zone.ts';

const specPath = FieldPath.of('spec');
const templatePath = specPath.child('jobTemplate', 'spec');

/** Names of Jobs add a dash and ten digits to that of their CronJob, and have at most 63 characters. */
const maxNameLength = 52;

/**
 * Most characters of a schedule. Listing each minute, hour, day, month and weekday takes some hundred; longer ones take
 * long to parse, each time.
 */
const maxScheduleLength = 8 * 1024;

export const cronJobRules: ResourceRules<CronJob> = {
  tracksGeneration: true,
  default: defaultCronJob,
  prepareForCreate(cronJob) {
    cronJob.status = {};
    dropDisabledTemplateFields(cronJob.spec?.jobTemplate.spec?.template);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.jobTemplate.spec?.template);
  },
  validate: ({ metadata, spec }) => [...validateSpec(spec, undefined), ...validateNameLength(metadata.name ?? '')],
  validateUpdate: (next, previous) => validateSpec(next.spec, previous.spec),
  warnings: cronJobWarnings,
  subresources: { status: { metadataChecks: [], prepareForUpdate: keepAllButStatus } },
  printer: cronJobPrinter(),
};

function defaultCronJob({ spec }: CronJob): void {
  if (spec === undefined) return;
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  defaultPodTemplate(spec.jobTemplate?.spec?.template);
  for (const { onPodConditions } of spec.jobTemplate?.spec?.podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
}

function validateSpec(spec: CronJobSpec | undefined, before: CronJobSpec | undefined): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  const isZoneChecked = before === undefined || before.timeZone !== spec.timeZone;
  return [
    ...validateSchedule(spec, before, specPath.child('schedule')),
    ...checkNonNegative(specPath.child('startingDeadlineSeconds'), spec.startingDeadlineSeconds),
    ...(isZoneChecked ? validateTimeZone(spec.timeZone, specPath.child('timeZone')) : []),
    ...checkChoice(specPath.child('concurrencyPolicy'), spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...validateJobTemplate(spec.jobTemplate),
    ...nonNegativeFields(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'], specPath),
  ];
}

/** A time zone inside the schedule was once allowed, and stays so in existing objects. */
function validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  before: CronJobSpec | undefined,
  path: FieldPath,
): FieldError[] {
  if (isEmpty(schedule)) return [required(path)];
  if (schedule.length > maxScheduleLength) return [tooLong(path, maxScheduleLength)];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalid(path, schedule, problem)];
  if (!schedule.includes('TZ')) return errors;
  if (!before?.schedule.includes('TZ'))
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone !== undefined)
    errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  return errors;
}

function validateJobTemplate({ spec }: JobTemplateSpec): FieldError[] {
  if (spec === undefined) return [required(templatePath)];
  return [
    ...validateJobTemplateSpec(spec, templatePath),
    ...(spec.selector === undefined
      ? []
      : [invalid(templatePath.child('selector'), shownSelector(spec.selector), '`selector` will be auto-generated')]),
    ...(spec.manualSelector ? [notSupported(templatePath.child('manualSelector'), true, ['nil', 'false'])] : []),
  ];
}

function validateNameLength(name: string): FieldError[] {
  if (name.length <= maxNameLength) return [];
  return [invalid(FieldPath.of('metadata', 'name'), name, `must be no more than ${maxNameLength} characters`)];
}

function cronJobWarnings(next: CronJob, previous: CronJob | undefined): string[] {
  const { schedule = '', jobTemplate } = next.spec ?? {};
  const isTold = previous === undefined || next.metadata.generation !== previous.metadata.generation;
  return [
    ...(previous === undefined ? hostnameWarnings(next.metadata.name, 'Pod names and hostnames') : []),
    ...(isTold && jobTemplate?.spec ? jobSpecWarnings(jobTemplate.spec, templatePath) : []),
    ...(previous !== undefined && schedule.includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : []),
  ];
}

function cronJobPrinter(): Printer<CronJob> {
  return {
    columns: [
      nameColumn,
      column('Schedule'),
      column('Timezone'),
      column('Suspend', 'boolean'),
      column('Active', 'integer'),
      column('Last Schedule'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row: (cronJob, context) => {
      const { spec, status } = cronJob;
      return [
        nameOf(cronJob),
        spec?.schedule ?? '',
        spec?.timeZone ?? '<none>',
        spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
        (status?.active ?? []).length,
        status?.lastScheduleTime ? formatAge(status.lastScheduleTime, context.nowMs) : '<none>',
        age(cronJob, context),
        ...containerCells(spec?.jobTemplate.spec?.template),
        formatLabelSelector(spec?.jobTemplate.spec?.selector),
      ];
    },
  };
}
