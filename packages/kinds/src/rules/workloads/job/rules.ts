import { type FieldError, FieldPath, invalid, required } from '@pintle/machinery/errors';
import { validateDns1123Label } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Job } from '../../../generated/batch/v1.ts';
import { keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { defaultPodTemplate } from '../../common/pod/defaults.ts';
import { dropDisabledTemplateFields } from '../../common/pod/disabled-fields.ts';
import { hostnameWarnings } from '../../common/pod/warnings/warnings.ts';
import { jobPrinter } from './printer.ts';
import { generateSelector, validateGeneratedSelector } from './selector.ts';
import { jobSpecWarnings, validateJobSpec } from './spec.ts';
import { validateJobStatus } from './status.ts';
import { validateJobSpecUpdate } from './update.ts';

const specPath = FieldPath.of('spec');
const maxInt32 = 2 ** 31 - 1;

export const jobRules: ResourceRules<Job> = {
  tracksGeneration: true,
  default: defaultJob,
  prepareForCreate(job) {
    job.status = {};
    dropDisabledTemplateFields(job.spec?.template);
    generateSelector(job);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.template);
  },
  validate: (job) => validateJob(job),
  validateUpdate: (next, previous) => [
    'create',
    ...validateJob(next, previous),
    'update',
    ...validateJobSpecUpdate(next, previous),
  ],
  warnings(next, previous) {
    if (next.spec === undefined) return [];
    if (previous !== undefined && next.metadata.generation === previous.metadata.generation) return [];
    return [
      ...(previous === undefined ? hostnameWarnings(next.metadata.name, 'Pod names and hostnames') : []),
      ...jobSpecWarnings(next.spec, specPath),
    ];
  },
  subresources: { status: { prepareForUpdate: keepAllButStatus, validateUpdate: validateJobStatus } },
  selectableFields: ({ status }) => ({ 'status.successful': String(status?.succeeded ?? 0) }),
  unsupportedField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  printer: jobPrinter,
};

function defaultJob({ metadata, spec }: Job): void {
  if (spec === undefined) return;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  const labels = spec.template.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  defaultPodTemplate(spec.template);
}

function validateJob(job: Job, previous?: Job): FieldError[] {
  if (job.spec === undefined) return [required(specPath)];
  return [
    ...validateGeneratedSelector(job, previous),
    ...validateJobSpec(job.spec, specPath),
    ...validateHostnames(job),
  ];
}

/** Names of the Pods of an indexed Job consist of its name and their index. */
function validateHostnames({ metadata: { name = '' }, spec }: Job): FieldError[] {
  const completions = spec?.completions ?? 0;
  if (spec?.completionMode !== 'Indexed' || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  if (validateDns1123Label(longest).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid(FieldPath.of('metadata', 'name'), name, detail)];
}
