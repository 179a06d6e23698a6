import { type FieldError, type FieldPath, invalid, notSupported, required, tooLong } from '@pintle/machinery/errors';
import { byteLength, validateDomainPrefixedPath } from '@pintle/machinery/names';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { JobSpec } from '../../../generated/batch/v1.ts';
import { nonNegativeFields } from '../../common/checks.ts';
import { validatePodTemplate } from '../../common/pod/validation/pod-spec.ts';
import { podTemplateWarnings } from '../../common/pod/warnings/warnings.ts';
import { tryCompile, validateSelected } from '../owned-pods.ts';
import { validatePodFailurePolicy } from './failure-policy.ts';
import { validateSuccessPolicy } from './success-policy.ts';

const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
/** Above this many completions, limits per index must be lower, or the Job's status grows too large. */
const manyCompletions = 100_000;
const tighterLimit = 10_000;
const withMany = `when completions are above ${manyCompletions} and used with backoff limit per index`;

export function validateJobSpec(spec: JobSpec, path: FieldPath): FieldError[] {
  const compiled = tryCompile(spec.selector);
  return [
    ...validateJobTemplateSpec(spec, path),
    ...(spec.selector === undefined
      ? [required(path.child('selector'))]
      : validateLabelSelector(spec.selector, path.child('selector'))),
    ...(compiled === undefined ? [] : validateSelected(spec.template, compiled, path.child('template'))),
  ];
}

/** Skips the selector, which a Job from a CronJob's template gets when it is created. */
export function validateJobTemplateSpec(spec: JobSpec, path: FieldPath): FieldError[] {
  return [
    ...validateNumbers(spec, path),
    ...validateManager(spec.managedBy, path.child('managedBy')),
    ...validateCompletionMode(spec, path),
    ...validateNotIndexed(spec, path),
    ...validatePodFailurePolicy(spec, path.child('podFailurePolicy')),
    ...validateSuccessPolicy(spec, path.child('successPolicy')),
    ...validateReplacement(spec, path.child('podReplacementPolicy')),
    ...validatePodTemplate(spec.template, path.child('template')),
    ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')),
  ];
}

function validateNumbers(spec: JobSpec, path: FieldPath): FieldError[] {
  const errors = nonNegativeFields(
    spec,
    [
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ],
    path,
  );
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  return errors;
}

function validateManager(managedBy: string | undefined, path: FieldPath): FieldError[] {
  if (managedBy === undefined) return [];
  const errors = validateDomainPrefixedPath(managedBy, path);
  return byteLength(managedBy) > 63 ? [...errors, tooLong(path, 63)] : errors;
}

function validateCompletionMode(spec: JobSpec, path: FieldPath): FieldError[] {
  const mode: string | undefined = spec.completionMode;
  if (mode === 'Indexed') return validateIndexed(spec, path);
  if (mode === undefined || mode === 'NonIndexed') return [];
  return [notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed'])];
}

function validateIndexed(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes: failed } = spec;
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism > maxParallelism) {
    const detail = `must be less than or equal to ${maxParallelism} when completion mode is Indexed`;
    errors.push(invalid(path.child('parallelism'), parallelism, detail));
  }
  if (completions !== undefined && failed !== undefined && failed > completions)
    errors.push(invalid(path.child('maxFailedIndexes'), failed, 'must be less than or equal to completions'));
  if (failed !== undefined && failed > maxFailedIndexes)
    errors.push(invalid(path.child('maxFailedIndexes'), failed, `must be less than or equal to ${maxFailedIndexes}`));
  return [...errors, ...validateManyIndexes(spec, path)];
}

function validateManyIndexes(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completions = 0, parallelism = 0, maxFailedIndexes: failed } = spec;
  if (completions <= manyCompletions || spec.backoffLimitPerIndex === undefined) return [];
  const errors: FieldError[] = [];
  if (failed === undefined)
    errors.push(
      required(path.child('maxFailedIndexes'), `must be specified when completions is above ${manyCompletions}`),
    );
  const detail = `must be less than or equal to ${tighterLimit} ${withMany}`;
  if (parallelism > tighterLimit) errors.push(invalid(path.child('parallelism'), parallelism, detail));
  if (failed !== undefined && failed > tighterLimit)
    errors.push(invalid(path.child('maxFailedIndexes'), failed, detail));
  return errors;
}

function validateNotIndexed(spec: JobSpec, path: FieldPath): FieldError[] {
  if (spec.completionMode !== undefined && spec.completionMode !== 'NonIndexed') return [];
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    .filter((name) => spec[name] !== undefined)
    .map((name) => invalid(path.child(name), spec[name], 'requires indexed completion mode'));
}

function validateReplacement(
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
  path: FieldPath,
): FieldError[] {
  if (policy === undefined) return [];
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return supported.includes(policy) ? [] : [notSupported(path, policy, supported)];
}

/** A Job ends with its Pods, so their restart policy must not be Always. */
function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: FieldPath): FieldError[] {
  const policy: string = template.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

export function jobSpecWarnings(spec: JobSpec, path: FieldPath): string[] {
  return [...sizeWarnings(spec, path), ...podTemplateWarnings(spec.template, path.child('template'))];
}

function sizeWarnings({ completionMode, completions = 0, parallelism = 0 }: JobSpec, path: FieldPath): string[] {
  if (completionMode !== 'Indexed' || completions <= 100_000 || parallelism <= 10_000) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
