import { type FieldError, FieldPath, invalid, required } from '@pintle/machinery/errors';
import { validateLabelValue } from '@pintle/machinery/names';
import type { Job } from '../../../generated/batch/v1.ts';
import { shownMap } from '../../common/checks.ts';
import { shownSelector } from '../../common/labels.ts';
import { tryCompile } from '../owned-pods.ts';

const controllerUid = 'batch.kubernetes.io/controller-uid';
const jobName = 'batch.kubernetes.io/job-name';

/**
 * Selects the Pods of a Job by its uid. Requires name and uid. A Job whose labels were defaulted shares the object with
 * its template, and gets the labels set here too.
 */
export function generateSelector(job: Job): void {
  const { metadata, spec } = job;
  if (spec === undefined || spec.manualSelector) return;
  const given = spec.template.metadata?.labels;
  const labels = { ...ownLabels(job), ...given };
  spec.template.metadata = { ...spec.template.metadata, labels };
  const matchLabels = { [controllerUid]: metadata.uid ?? '', ...spec.selector?.matchLabels };
  spec.selector = { ...spec.selector, matchLabels };
  const hasTakenOver = given !== undefined && metadata.labels === given;
  const hasNone = Object.keys(metadata.labels ?? {}).length === 0 && isLabelValue(metadata.name);
  if (hasTakenOver || hasNone) metadata.labels = { ...labels };
}

/** A name that is too long for a label is reported for the template only. */
function isLabelValue(name: string | undefined): boolean {
  return validateLabelValue(name ?? '').length === 0;
}

/** Checks that the author neither set a selector nor changed the labels that it needs. */
export function validateGeneratedSelector(job: Job, previous: Job | undefined): FieldError[] {
  const { metadata, spec } = job;
  if (spec?.manualSelector || spec?.selector === undefined) return [];
  const labels = spec.template.metadata?.labels ?? {};
  const path = FieldPath.of('spec', 'template', 'metadata', 'labels');
  const expected = ownLabels(job);
  const compiled = tryCompile(spec.selector);
  return [
    ...(metadata.uid ? [] : [required(FieldPath.of('metadata', 'uid'))]),
    ...Object.entries(expected)
      .filter(([key]) => !key.includes('/') || hadPrefixedLabels(previous))
      .flatMap(([key, value]) => validateHasLabel(labels, key, value, path)),
    ...(compiled === undefined || compiled.matches(expected)
      ? []
      : [invalid(FieldPath.of('spec', 'selector'), shownSelector(spec.selector), '`selector` not auto-generated')]),
  ];
}

/** Jobs from before the labels had prefixes do not have them. */
function hadPrefixedLabels(previous: Job | undefined): boolean {
  const labels = previous?.spec?.template.metadata?.labels ?? {};
  return previous === undefined || (Object.hasOwn(labels, controllerUid) && Object.hasOwn(labels, jobName));
}

/** Returns each label under its current and its former name. */
function ownLabels({ metadata: { name = '', uid = '' } }: Job): Record<string, string> {
  return {
    'controller-uid': uid,
    'job-name': name,
    [controllerUid]: uid,
    [jobName]: name,
  };
}

function validateHasLabel(
  labels: Record<string, string>,
  key: string,
  expected: string,
  path: FieldPath,
): FieldError[] {
  const actual = labels[key];
  if (actual === undefined) return [required(path.key(key), `must be '${expected}'`)];
  return actual === expected ? [] : [invalid(path.key(key), shownMap(labels), `must be '${expected}'`)];
}
