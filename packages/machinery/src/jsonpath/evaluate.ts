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

/** Applies each step to all current values. A value that lacks the field, or has another type, contributes nothing. */
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
      return itemsOf(value).slice(step.index, step.index + 1 || undefined);
    case 'slice':
      return itemsOf(value)
        .slice(step.start ?? 0, step.end)
        .filter((_, index) => index % step.step === 0);
    case 'union':
      return step.branches.flatMap((branch) => evaluate(branch, [value], budget));
    case 'exists':
      return itemsOf(value).filter((item) => evaluate(step.path, [item], budget).length > 0);
    case 'compare':
      return itemsOf(value).filter((item) => {
        const [left] = evaluate(step.left, [item], budget);
        const [right] = evaluate(step.right, [item], budget);
        return left !== undefined && right !== undefined && holds(left, step.operator, right);
      });
    case 'literal':
      return [step.value];
  }
}

function memberOf(value: JsonValue, name: string): readonly JsonValue[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]!] : [];
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
  return isObject(value) ? Object.values(value) : itemsOf(value);
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

/** Values of different types are only unequal, and have no order. */
function holds(left: JsonValue, operator: Comparison, right: JsonValue): boolean {
  const order = orderOf(left, right);
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order === -1;
    case '<=':
      return order === -1 || order === 0;
    case '>':
      return order === 1;
    case '>=':
      return order === 1 || order === 0;
  }
}

/** Numbers and strings have an order among themselves; other values can only be equal. */
function orderOf(left: JsonValue, right: JsonValue): -1 | 0 | 1 | undefined {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  return left === right ? 0 : undefined;
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
