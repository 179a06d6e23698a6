import { compareUtf8 } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { JsonPathError } from './json-path-error.ts';
import type { Comparison, Step } from './steps.ts';

/** Most values that one evaluation may visit. A large object has tens of thousands. */
const visitsMax = 1_000_000;

/** Counts the values that evaluations visit, and throws when there are too many. */
export class Budget {
  readonly #maxVisits: number;
  #left: number;

  constructor(maxVisits = visitsMax) {
    this.#maxVisits = maxVisits;
    this.#left = maxVisits;
  }

  spend(): void {
    if (this.#left-- <= 0) throw new JsonPathError({ code: 'TooMuchWork', maxVisits: this.#maxVisits });
  }
}

/**
 * Applies each step to all current values. A value that lacks a field contributes nothing. Throws `JsonPathError` for
 * an index out of bounds, for an index or a filter of other values than lists, and for values that cannot be compared.
 */
export function evaluate(steps: readonly Step[], start: readonly JsonValue[], budget: Budget): readonly JsonValue[] {
  let values = start;
  for (const step of steps) {
    const found: JsonValue[] = [];
    for (const value of values) {
      budget.spend();
      for (const next of stepFrom(value, step, budget)) {
        budget.spend();
        found.push(next);
      }
    }
    values = found;
  }
  return values;
}

function stepFrom(value: JsonValue, step: Step, budget: Budget): Iterable<JsonValue> {
  switch (step.kind) {
    case 'field':
      return memberOf(value, step.name);
    case 'wildcard':
      return childrenOf(value);
    case 'descend':
      return withDescendants(value);
    case 'index':
      return value === null ? [] : [itemAt(listOf(value), step.index)];
    case 'slice':
      return value === null ? [] : sliceOf(listOf(value), step);
    case 'union':
      return step.branches.flatMap((branch) => evaluate(branch, [value], budget));
    case 'exists':
      return listOf(value).filter((item) => exists(step.path, item, budget));
    case 'compare':
      return listOf(value).filter((item) => {
        const left = onlyOf(evaluate(step.left, [item], budget));
        const right = left === undefined ? undefined : onlyOf(evaluate(step.right, [item], budget));
        return left !== undefined && right !== undefined && holds(left, step.operator, right);
      });
    case 'literal':
      return [step.value];
  }
}

function memberOf(value: JsonValue, name: string): readonly JsonValue[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]!] : [];
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw notEvaluated('value is not a list');
  return value;
}

function itemAt(items: readonly JsonValue[], index: number): JsonValue {
  const item = items.at(index);
  if (item === undefined) throw outOfBounds(index, items);
  return item;
}

type Slice = Extract<Step, { kind: 'slice' }>;

function sliceOf(items: readonly JsonValue[], { start = 0, end = items.length, step }: Slice): readonly JsonValue[] {
  const first = start < 0 ? start + items.length : start;
  const last = end < 0 ? end + items.length : end;
  if (first === last) return [];
  if (first < 0 || first >= items.length) throw outOfBounds(start, items);
  if (last < 0 || last > items.length) throw outOfBounds(end - 1, items);
  if (first > last) throw notEvaluated(`starting index ${first} is greater than ending index ${last}`);
  return items.slice(first, last).filter((_, index) => index % step === 0);
}

/** An item where the path cannot be followed to its end counts as one that has it. */
function exists(path: readonly Step[], item: JsonValue, budget: Budget): boolean {
  try {
    return evaluate(path, [item], budget).length > 0;
  } catch (error) {
    if (error instanceof JsonPathError && error.failure.code === 'NotEvaluated') return true;
    throw error;
  }
}

/** Returns the one value of a side of a comparison, or `undefined` when it has none. */
function onlyOf(values: readonly JsonValue[]): JsonValue | undefined {
  if (values.length > 1) throw notEvaluated('can only compare one element at a time');
  return values[0];
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (isObject(value)) return Object.values(value);
  return Array.isArray(value) ? value : [];
}

/** Yields the value, then each child with its descendants, in order. Scalars are skipped. */
function* withDescendants(value: JsonValue): Iterable<JsonValue> {
  const pending = [value];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const children = childrenOf(current);
    if (children.length === 0) continue;
    yield current;
    for (let index = children.length - 1; index >= 0; index--) pending.push(children[index]!);
  }
}

/** Throws for values of different types, and for those that cannot be compared. */
function holds(left: JsonValue, operator: Comparison, right: JsonValue): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw notEvaluated('incompatible types for comparison');
  const order = orderOf(left, right);
  if (operator === '==') return order === 0;
  if (operator === '!=') return order !== 0;
  if (kind === 'boolean') throw notEvaluated('invalid type for comparison');
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Whole numbers and others are of different types. */
function kindOf(value: JsonValue): 'boolean' | 'float' | 'integer' | 'string' {
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return typeof value === 'string' ? 'string' : 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'float';
    default:
      throw notEvaluated('invalid type for comparison');
  }
}

function orderOf(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'string') return compareUtf8(left, right as string);
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

function outOfBounds(index: number, { length }: readonly JsonValue[]): JsonPathError {
  return notEvaluated(`array index out of bounds: index ${index}, length ${length}`);
}

function notEvaluated(problem: string): JsonPathError {
  return new JsonPathError({ code: 'NotEvaluated', problem });
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
