import type { FieldError } from '../errors/field-error.ts';
import { invalid } from '../errors/field-error.ts';
import { isPlainLabel, validateLabelValue, validateQualifiedName } from '../names/label-names.ts';

/** `=` and `==` mean the same; each is printed as it was written. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition of a selector. All of them must hold. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Empty for `exists` and `!`, one value for comparisons, any number for `in` and `notin`. */
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** Compiles a condition. An absent label satisfies `!=`, `notin` and `!`. */
function compileRequirement({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const hasValue = membership(values);
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return (labels) => Object.hasOwn(labels, key) && hasValue(labels[key]!);
    case '!=':
    case 'notin':
      return (labels) => !Object.hasOwn(labels, key) || !hasValue(labels[key]!);
    case 'exists':
      return (labels) => Object.hasOwn(labels, key);
    case '!':
      return (labels) => !Object.hasOwn(labels, key);
    case 'gt':
    case 'lt':
      return compileComparison(key, operator, values[0]!);
  }
}

/** Most conditions that are checked one after the other, which is faster than by key for few. */
const MAX_SEQUENTIAL = 8;

/**
 * Compiles all conditions into one function. Its cost is bounded both by the number of labels and by the number of
 * conditions: conditions on one key are merged, and a condition that an absent label satisfies is checked only where
 * the label is present.
 */
export function compileRequirements(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  if (requirements.length <= MAX_SEQUENTIAL) {
    const checks = requirements.map(compileRequirement);
    return (labels) => {
      for (const check of checks) if (!check(labels)) return false;
      return true;
    };
  }
  const merged = mergeByKey(requirements);
  const required = merged.filter(({ isRequired }) => isRequired);
  const others = new Map(merged.filter(({ isRequired }) => !isRequired).map((each) => [each.key, each.check]));
  return (labels) => {
    for (const { key, check } of required) if (!Object.hasOwn(labels, key) || !check(labels)) return false;
    if (others.size <= sizeOf(labels)) {
      for (const [key, check] of others) if (Object.hasOwn(labels, key) && !check(labels)) return false;
    } else for (const key of Object.keys(labels)) if (others.get(key)?.(labels) === false) return false;
    return true;
  };
}

/** Number of labels of recent objects. It decides only which way is shorter. */
const SIZES = new WeakMap<Labels, number>();

function sizeOf(labels: Labels): number {
  const known = SIZES.get(labels) ?? Object.keys(labels).length;
  SIZES.set(labels, known);
  return known;
}

interface KeyCheck {
  readonly key: string;
  /** An object without the label does not match. */
  readonly isRequired: boolean;
  readonly check: (labels: Labels) => boolean;
}

function mergeByKey(requirements: readonly LabelRequirement[]): KeyCheck[] {
  const byKey = new Map<string, LabelRequirement[]>();
  for (const requirement of requirements) {
    const others = byKey.get(requirement.key);
    if (others === undefined) byKey.set(requirement.key, [requirement]);
    else others.push(requirement);
  }
  return Array.from(byKey, ([key, all]) => ({
    key,
    isRequired: all.some(({ operator }) => !MET_BY_ABSENCE.has(operator)),
    check: checkOfKey(all),
  }));
}

const MET_BY_ABSENCE: ReadonlySet<LabelOperator> = new Set(['!=', 'notin', '!']);

/** Merges all conditions on one key: the values that all lists have in common, without those that any excludes. */
function checkOfKey(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  if (requirements.length === 1) return compileRequirement(requirements[0]!);
  const { key } = requirements[0]!;
  let allowed: Set<string> | undefined;
  const denied = new Set<string>();
  const others: ((labels: Labels) => boolean)[] = [];
  const seen = new Set<LabelOperator>();
  for (const requirement of requirements) {
    const { operator, values } = requirement;
    if (operator === '=' || operator === '==' || operator === 'in')
      allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed!.has(value)));
    else if (operator === '!=' || operator === 'notin') for (const value of values) denied.add(value);
    else if (operator === 'gt' || operator === 'lt' || !seen.has(operator))
      others.push(compileRequirement(requirement));
    seen.add(operator);
  }
  return (labels) => {
    const value = labels[key]!;
    if (allowed?.has(value) === false || denied.has(value)) return false;
    return others.every((check) => check(labels));
  };
}

/** Formats `a=b`, `a in (b,c)`, `!a`, with sorted values. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

/** Returns the errors that Kubernetes finds in a requirement before it uses it. */
export function validateRequirement({ key, operator, values }: LabelRequirement): FieldError[] {
  const keyProblems = validateQualifiedName(key);
  return [
    ...(keyProblems.length > 0 ? [invalid('key', key, keyProblems.join('; '))] : []),
    ...valueCountErrors(operator, values),
    ...values.flatMap((value, index) => {
      if (isPlainLabel(value)) return [];
      const problems = validateLabelValue(value);
      return problems.length > 0 ? [invalid(`values[${index}][${key}]`, value, problems.join('; '))] : [];
    }),
  ];
}

function valueCountErrors(operator: LabelOperator, values: readonly string[]): FieldError[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0
        ? []
        : [invalid('values', values, "for 'in', 'notin' operators, values set can't be empty")];
    case '=':
    case '==':
    case '!=':
      return values.length === 1
        ? []
        : [invalid('values', values, 'exact-match compatibility requires one single value')];
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : [invalid('values', values, 'values set must be empty for exists and does not exist')];
    case 'gt':
    case 'lt':
      return values.length === 1
        ? integerErrors(values[0]!)
        : [invalid('values', values, "for 'Gt', 'Lt' operators, exactly one value is required")];
  }
}

function integerErrors(value: string): FieldError[] {
  if (parseInt64(value) !== undefined) return [];
  return [invalid('values[0]', value, "for 'Gt', 'Lt' operators, the value must be an integer")];
}

function compileComparison(key: string, operator: 'gt' | 'lt', value: string): (labels: Labels) => boolean {
  const limit = parseInt64(value);
  if (limit === undefined) return () => false;
  return (labels) => {
    const actual = Object.hasOwn(labels, key) ? parseInt64(labels[key]!) : undefined;
    if (actual === undefined) return false;
    return operator === 'gt' ? actual > limit : actual < limit;
  };
}

/** Searches a short list directly, which is faster than a set. */
function membership(values: readonly string[]): (value: string) => boolean {
  if (values.length === 1) return (value) => value === values[0];
  if (values.length <= 8) return (value) => values.includes(value);
  const set = new Set(values);
  return (value) => set.has(value);
}

function parseInt64(text: string): bigint | undefined {
  if (text.length > 64 || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
