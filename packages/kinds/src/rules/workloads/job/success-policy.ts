import { type FieldError, type FieldPath, invalid, required, tooLong, tooMany } from '@pintle/machinery/errors';
import { byteLength } from '@pintle/machinery/names';
import type { JobSpec, SuccessPolicyRule } from '../../../generated/batch/v1.ts';
import { checkNonNegative, eachItem } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { type IndexSet, parseIndexes } from './indexes.ts';

const maxRules = 20;
const maxIndexBytes = 64 * 1024;
/** The indexes of a text that is too long to be parsed. */
const NO_INDEXES: IndexSet = { intervals: [], count: 0 };

/** Checks when an indexed Job succeeds before all of its indexes do. */
export function validateSuccessPolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const policy = spec.successPolicy;
  if (policy === undefined) return [];
  if (spec.completionMode !== 'Indexed')
    return [invalid(path, goForm(policy, 'batch.SuccessPolicy'), 'requires indexed completion mode')];
  const rules = policy.rules ?? [];
  const rulesPath = path.child('rules');
  return [
    ...(rules.length === 0
      ? [required(rulesPath, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > maxRules ? [tooMany(rulesPath, rules.length, maxRules)] : []),
    ...eachItem(rules.slice(0, maxRules), rulesPath, (rule, at) => validateRule(rule, spec.completions ?? 0, at)),
  ];
}

function validateRule(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  completions: number,
  path: FieldPath,
): FieldError[] {
  if (succeededIndexes === undefined && succeededCount === undefined)
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  const isTooLong = byteLength(succeededIndexes ?? '') > maxIndexBytes;
  const indexes = isTooLong ? NO_INDEXES : parseIndexes(succeededIndexes ?? '', completions);
  const total = 'problem' in indexes ? 0 : indexes.count;
  const indexesPath = path.child('succeededIndexes');
  const countPath = path.child('succeededCount');
  return [
    ...(isTooLong ? [tooLong(indexesPath, maxIndexBytes)] : []),
    ...('problem' in indexes
      ? [invalid(indexesPath, succeededIndexes, `error parsing succeededIndexes: ${indexes.problem}`)]
      : []),
    ...checkNonNegative(countPath, succeededCount),
    ...atMost(succeededCount, completions, 'the number of specified completions', countPath),
    ...(succeededIndexes === undefined || isTooLong
      ? []
      : atMost(succeededCount, total, 'the number of indexes in the specified succeededIndexes field', countPath)),
  ];
}

function atMost(count: number | undefined, limit: number, boundName: string, path: FieldPath): FieldError[] {
  if (count === undefined || count <= limit) return [];
  return [invalid(path, count, `must be less than or equal to ${limit} (${boundName})`)];
}

/** Kubernetes prints its internal type here: every field, under its Go name. */
