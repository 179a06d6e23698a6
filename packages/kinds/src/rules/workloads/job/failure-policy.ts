import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  omitValue,
  quote,
  required,
  tooMany,
} from '@pintle/machinery/errors';
import { validateLabelKey } from '@pintle/machinery/names';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../../generated/batch/v1.ts';
import { eachItem } from '../../common/checks.ts';

const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Checks how the failure of a Pod affects its Job. */
export function validatePodFailurePolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  const { containers, initContainers } = spec.template.spec ?? {};
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  return [
    ...(rules.length > maxRules ? [tooMany(rulesPath, rules.length, maxRules)] : []),
    ...eachItem(rules, rulesPath, (rule, at) => [
      ...validateAction(rule.action, spec, at.child('action')),
      ...validateExitCodes(rule.onExitCodes, names, at.child('onExitCodes')),
      ...validateConditions(rule.onPodConditions, at.child('onPodConditions')),
      ...validateOneReason(rule, at),
    ]),
  ];
}

function validateAction(action: string | undefined, spec: JobSpec, path: FieldPath): FieldError[] {
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    return [invalid(path, action, 'requires the backoffLimitPerIndex to be set')];
  return validateChoice(action, actions, path);
}

function validateExitCodes(
  codes: PodFailurePolicyOnExitCodesRequirement | undefined,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  if (codes === undefined) return [];
  const { operator, containerName } = codes;
  const errors = validateChoice(operator, operators, path.child('operator'));
  if (containerName !== undefined && !names.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(path.child('containerName'), containerName, detail));
  }
  return [...errors, ...validateValues(codes.values ?? undefined, operator, path.child('values'))];
}

function validateValues(given: readonly number[] | undefined, operator: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const values = given ?? [];
  if (values.length === 0) errors.push(invalid(path, given ?? null, 'at least one value is required'));
  else if (values.length > maxExitCodes) errors.push(tooMany(path, values.length, maxExitCodes));
  const seen = new Set<number>();
  errors.push(
    ...eachItem(values, path, (value, at) => {
      const found = operator === 'In' && value === 0 ? [invalid(at, value, 'must not be 0 for the In operator')] : [];
      if (seen.has(value)) found.push(duplicate(at, value));
      seen.add(value);
      return found;
    }),
  );
  if (values.some((value, index) => index > 0 && values[index - 1]! > value))
    errors.push(invalid(path, values, 'must be ordered'));
  return errors;
}

function validateConditions(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[] | undefined,
  path: FieldPath,
): FieldError[] {
  const count = (patterns ?? []).length;
  return [
    ...(count > maxPatterns ? [tooMany(path, count, maxPatterns)] : []),
    ...eachItem(patterns, path, ({ type, status }, at) => [
      ...validateLabelKey(type ?? '', at.child('type')),
      ...validateChoice(status, statuses, at.child('status')),
    ]),
  ];
}

function validateOneReason({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, path: FieldPath): FieldError[] {
  const hasConditions = onPodConditions.length > 0;
  if (onExitCodes !== undefined && hasConditions)
    return [invalid(path, omitValue, 'specifying both OnExitCodes and OnPodConditions is not supported')];
  if (onExitCodes !== undefined || hasConditions) return [];
  return [invalid(path, omitValue, 'specifying one of OnExitCodes and OnPodConditions is required')];
}

function validateChoice(value: string | undefined, supported: readonly string[], path: FieldPath): FieldError[] {
  if (!value) return [required(path, `valid values: [${supported.map(quote).join(' ')}]`)];
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}
