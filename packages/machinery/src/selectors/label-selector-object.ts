import type { FieldError } from '../errors/field-error.ts';
import { addErrors, forbidden, invalid, MAX_FIELD_ERRORS, required } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { ParseError } from '../errors/parse-error.ts';
import { quote } from '../errors/quote.ts';
import { describeFieldErrors } from '../errors/status-errors.ts';
import { validateLabelValue } from '../names/label-names.ts';
import { validateLabelKey, validateLabels } from '../names/object-meta.ts';
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts';
import { validateRequirement } from './label-requirement.ts';
import { CompiledLabelSelector, everyLabelSelector, noLabelSelector } from './label-selector.ts';

/** `meta/v1 LabelSelector`, as objects contain it. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string;
  values?: string[];
}

/**
 * Compiles the selector of an object. An absent one matches no object, an empty one all. Throws `ParseError` if it is
 * invalid.
 */
export function compileLabelSelector(selector: LabelSelector | null | undefined): CompiledLabelSelector {
  if (selector === undefined || selector === null) return noLabelSelector;
  const requirements = requirementsOf(selector);
  if (requirements.length === 0) return everyLabelSelector;
  for (const requirement of requirements) {
    const errors = validateRequirement(requirement);
    if (errors.length > 0) throw new ParseError('label selector', describeFieldErrors(errors));
  }
  return new CompiledLabelSelector(requirements);
}

/** Requires every label with its value, as a Service's `spec.selector` does. Does not validate the labels. */
export function matchLabelsSelector(labels: Labels): CompiledLabelSelector {
  return new CompiledLabelSelector(equalities(labels));
}

/** Formats the selector for people: `app=web,tier in (a,b)`, or `<none>`. */
export function formatLabelSelector(selector: LabelSelector | null | undefined): string {
  try {
    return compileLabelSelector(selector).toString() || '<none>';
  } catch {
    return '<error>';
  }
}

export interface LabelSelectorRules {
  /** Accepts values that are not label values, because older objects have them. */
  readonly allowInvalidValues?: boolean;
  /** Accepts unknown operators, where other code decides about them. */
  readonly allowUnknownOperators?: boolean;
}

/** Returns the errors in the selector of an object. */
export function validateLabelSelector(
  selector: LabelSelector | null | undefined,
  path: FieldPath,
  rules: LabelSelectorRules = {},
): FieldError[] {
  const errors = validateLabels(selector?.matchLabels, path.child('matchLabels'));
  for (const [index, expression] of (selector?.matchExpressions ?? []).entries()) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    addErrors(errors, validateLabelSelectorRequirement(expression, path.child('matchExpressions').index(index), rules));
  }
  return errors;
}

export function validateLabelSelectorRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: FieldPath,
  rules: LabelSelectorRules = {},
): FieldError[] {
  const errors = operatorErrors(operator, values, path, rules);
  addErrors(errors, validateLabelKey(key, path.child('key')));
  if (!rules.allowInvalidValues) addErrors(errors, valueErrors(values, path.child('values')));
  return errors;
}

function* valueErrors(values: readonly string[], path: FieldPath): Iterable<FieldError> {
  for (const [index, value] of values.entries())
    for (const problem of validateLabelValue(value)) yield invalid(path.index(index), value, problem);
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function operatorErrors(
  operator: string,
  values: readonly string[],
  path: FieldPath,
  rules: LabelSelectorRules,
): FieldError[] {
  switch (operators.get(operator)) {
    case 'in':
    case 'notin':
      return values.length > 0
        ? []
        : [required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : [forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return rules.allowUnknownOperators
        ? []
        : [invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}

function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): LabelRequirement[] {
  return [...equalities(matchLabels ?? {}), ...(matchExpressions ?? []).map(requirementOf)];
}

function equalities(labels: Labels): LabelRequirement[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] }));
}

function requirementOf({ key, operator, values = [] }: LabelSelectorRequirement): LabelRequirement {
  const known = operators.get(operator);
  if (known === undefined)
    throw new ParseError('label selector', `${quote(operator)} is not a valid label selector operator`);
  return { key, operator: known, values };
}
