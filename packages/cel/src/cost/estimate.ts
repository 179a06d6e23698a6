import { type CheckedExpression, typeOf } from '../check/checked.ts';
import { type Call, type Comprehension, type Expr, qualifiedName, type Select } from '../syntax/ast.ts';
import type { Type } from '../types/type.ts';
import { characterCount } from '../values/describe.ts';
import { regexFactor, traversal } from './call-cost.ts';
import { type CallEstimate, estimateCall, type Operand, widest } from './call-estimate.ts';
import { add, exactly, multiply, ONE, type Range, scale, total, UNBOUNDED, UNKNOWN, union, ZERO } from './range.ts';

/**
 * Returns the maximum number of characters, bytes, items or entries at a path of a variable, fields, `@items`, `@keys`
 * and `@values`; `undefined` when unknown.
 */
export type MaxSizeAt = (path: readonly string[]) => number | undefined;

/** Returns the minimum and maximum cost of an expression, based on the sizes of its variables. */
export function estimateCost(checked: CheckedExpression, maxSizeAt: MaxSizeAt): Range {
  return new Estimator(checked, maxSizeAt).cost(checked.expr);
}

/** Sizes of a container's content: of keys or positions, and of values or items. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly name: string;
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySize | undefined;
}

class Estimator {
  readonly #checked: CheckedExpression;
  readonly #maxSizeAt: MaxSizeAt;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #entrySizes = new Map<number, EntrySize>();
  readonly #locals: Local[] = [];

  constructor(checked: CheckedExpression, maxSizeAt: MaxSizeAt) {
    this.#checked = checked;
    this.#maxSizeAt = maxSizeAt;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return ZERO;
      case 'ident':
        this.#paths.set(expr.id, this.#local(expr.name)?.path ?? [expr.name]);
        return ONE;
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr.id, expr.items);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return add(total(expr.fields.map(({ value }) => this.cost(value))), exactly(40));
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast((local) => local.name === name);
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr.id) ?? [];
  }

  #select(expr: Select): Range {
    if (this.#checked.references[expr.id] !== undefined) {
      this.#paths.set(expr.id, [qualifiedName(expr)!]);
      return ONE;
    }
    const operand = this.cost(expr.operand);
    // A test for a field is free.
    if (expr.testOnly) return operand;
    const { kind } = typeOf(this.#checked, expr.operand);
    this.#paths.set(expr.id, [...this.#pathOf(expr.operand), expr.field]);
    return kind === 'map' || kind === 'struct' || kind === 'param' ? add(operand, ONE) : operand;
  }

  #call(expr: Call): Range {
    const reference = this.#checked.references[expr.id];
    if (reference?.kind !== 'function') return ZERO;
    const { declaration, overloads, target } = reference;
    const argCosts = expr.args.map((arg) => this.cost(arg));
    if (declaration.name === 'dyn') {
      this.#copySizes(expr, expr.args[0]!);
      return add(ONE, total(argCosts));
    }
    const args = expr.args.map((arg) => this.#operand(arg));
    const targetCost = target === undefined ? ZERO : this.cost(target);
    const receiver = target && this.#operand(target);
    let cost: Range = { min: UNBOUNDED, max: 0 };
    let size: Range | undefined;
    for (const { id } of overloads) {
      const estimate = this.#overload(expr, declaration.name, id, receiver, args, argCosts);
      cost = union(cost, estimate.cost);
      size = widest(size, estimate.size);
      if (id === 'index_list' || id === 'index_map') {
        size = this.#entrySizeOf(expr.args[0]!)?.value;
        this.#paths.set(expr.id, [...this.#pathOf(expr.args[0]!), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.#sizeOf(expr);
    }
    if (size !== undefined) this.#sizes.set(expr.id, size);
    return add(targetCost, cost);
  }

  #operand(expr: Expr): Operand {
    const path = this.#pathOf(expr);
    const isAccumulator = path[0] === '@result' || path[0] === '__result__';
    return { type: typeOf(this.#checked, expr), expr, path: isAccumulator ? [] : path, size: this.#sizeOf(expr) };
  }

  #overload(
    expr: Call,
    name: string,
    overload: string,
    target: Operand | undefined,
    args: readonly Operand[],
    argCosts: readonly Range[],
  ): CallEstimate {
    const own = estimateCall({ name, overload, target, args, sizeAt: (path) => this.#sizeAt(path) });
    if (own !== undefined) return { ...own, cost: add(own.cost, total(argCosts)) };
    return this.#standard(expr, overload, target, args, argCosts);
  }

  /** Estimates functions of the standard library. */
  #standard(
    expr: Call,
    overload: string,
    target: Operand | undefined,
    args: readonly Operand[],
    argCosts: readonly Range[],
  ): CallEstimate {
    const sizes = args.map(({ size }) => size ?? UNKNOWN);
    const [first = UNKNOWN, second = UNKNOWN] = sizes;
    const receiver = target?.size ?? UNKNOWN;
    const withArgs = (cost: Range, size?: Range): CallEstimate =>
      size === undefined ? { cost: add(cost, total(argCosts)) } : { cost: add(cost, total(argCosts)), size };
    switch (overload) {
      case 'string_format':
        return withArgs(scale(receiver, traversal));
      case 'string_to_bytes':
        return withArgs(scale(first, traversal), { min: first.min, max: Math.min(first.max * 4, UNBOUNDED) });
      case 'bytes_to_string':
        return withArgs(scale(first, traversal), { min: Math.floor(first.min / 4), max: first.max });
      case 'strings_quote':
        return withArgs(scale(first, traversal), { min: first.min + 2, max: Math.min(first.max * 2 + 2, UNBOUNDED) });
      case 'starts_with_string':
      case 'ends_with_string':
        return withArgs(scale(first, traversal));
      case 'in_list':
        return withArgs(second);
      case 'matches_string':
        // As a function of two arguments it counts as one step.
        if (target === undefined) return withArgs(ONE);
        return withArgs(multiply(scale(add(receiver, ONE), traversal), scale(first, regexFactor)));
      case 'contains_string':
        return withArgs(multiply(scale(receiver, traversal), scale(first, traversal)));
      case 'logical_or':
      case 'logical_and':
        return { cost: { min: argCosts[0]!.min, max: total(argCosts).max } };
      case 'conditional':
        this.#setEntrySize(expr.id, unionOf(this.#entrySizeOf(expr.args[1]!), this.#entrySizeOf(expr.args[2]!)));
        return { cost: add(argCosts[0]!, union(argCosts[1]!, argCosts[2]!)), size: union(second, sizes[2] ?? UNKNOWN) };
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        this.#setEntrySize(expr.id, unionOf(this.#entrySizeOf(expr.args[0]!), this.#entrySizeOf(expr.args[1]!)));
        const size = add(first, second);
        return withArgs(overload === 'add_list' ? ONE : scale(size, traversal), size);
      }
      default:
        return withArgs(comparesAll.has(overload) ? comparisonCost(first, second) : ONE);
    }
  }

  #list(id: number, items: readonly Expr[]): Range {
    let value: Range = items.length === 0 ? ZERO : { min: UNBOUNDED, max: 0 };
    const costs = items.map((item) => {
      const cost = this.cost(item);
      value = union(value, this.#sizeOf(item) ?? UNKNOWN);
      return cost;
    });
    this.#setEntrySize(id, { isList: true, key: ONE, value });
    return add(total(costs), exactly(10));
  }

  #map(expr: Expr & { readonly kind: 'map' }): Range {
    const none: Range = expr.entries.length === 0 ? ZERO : { min: UNBOUNDED, max: 0 };
    let key = none;
    let value = none;
    const costs = expr.entries.map((entry) => {
      const cost = add(this.cost(entry.key), this.cost(entry.value));
      key = union(key, this.#sizeOf(entry.key) ?? UNKNOWN);
      value = union(value, this.#sizeOf(entry.value) ?? UNKNOWN);
      return cost;
    });
    this.#setEntrySize(expr.id, { isList: false, key, value });
    return add(total(costs), exactly(30));
  }

  #binding(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.init));
    this.#locals.push(this.#namedAs(expr.accumulator, expr.init));
    const result = this.cost(expr.result);
    this.#locals.pop();
    this.#copySizes(expr, expr.result);
    return add(before, result);
  }

  #namedAs(name: string, expr: Expr): Local {
    return { name, path: this.#pathOf(expr), size: this.#sizeOf(expr), entries: this.#entrySizeOf(expr) };
  }

  #comprehension(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.init));
    this.#locals.push(this.#namedAs(expr.accumulator, expr.init), ...this.#loopVariables(expr));
    const round = add(this.cost(expr.condition), this.cost(expr.step));
    this.#locals.length -= expr.variable2 === undefined ? 1 : 2;
    const result = this.cost(expr.result);
    this.#locals.length -= 1;
    const rounds = this.#sizeOf(expr.range) ?? UNKNOWN;
    this.#setResultSize(expr, rounds);
    return add(before, result, multiply(rounds, round));
  }

  #loopVariables({ range, variable, variable2 }: Comprehension): readonly Local[] {
    const entries = this.#entrySizeOf(range);
    const path = this.#pathOf(range);
    const isList = entries?.isList ?? typeOf(this.#checked, range).kind === 'list';
    const local = (name: string, size: Range | undefined, part: string): Local => {
      return { name, path: [...path, part], size, entries: undefined };
    };
    const values = isList ? '@items' : '@values';
    if (variable2 !== undefined) {
      const first = local(variable, entries?.key, isList ? '@indices' : '@keys');
      return [first, local(variable2, entries?.value, values)];
    }
    return [isList ? local(variable, entries?.value, '@items') : local(variable, entries?.key, '@keys')];
  }

  #setResultSize(expr: Comprehension, rounds: Range): void {
    const { init, step } = expr;
    if (init.kind === 'literal') {
      const size = this.#sizeOf(init);
      if (size !== undefined) this.#sizes.set(expr.id, size);
    } else if (init.kind === 'list' || init.kind === 'map') {
      this.#sizes.set(expr.id, rounds);
      this.#setEntrySize(expr.id, this.#entrySizeOf(step));
    }
  }

  #sizeOf(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const found = this.#sizeAt(this.#pathOf(expr));
    if (found !== undefined) {
      this.#sizes.set(expr.id, found);
      return found;
    }
    if (isScalar(typeOf(this.#checked, expr))) return ONE;
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #sizeAt(path: readonly string[]): Range | undefined {
    const max = path.length === 0 ? undefined : this.#maxSizeAt(path);
    return max === undefined ? undefined : { min: 0, max };
  }

  #entrySizeOf(expr: Expr): EntrySize | undefined {
    const known = this.#entrySizes.get(expr.id);
    if (known !== undefined || expr.kind !== 'ident') return known;
    return this.#local(expr.name)?.entries;
  }

  #setEntrySize(id: number, size: EntrySize | undefined): void {
    if (size !== undefined) this.#entrySizes.set(id, size);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#sizeOf(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    this.#setEntrySize(to.id, this.#entrySizeOf(from));
  }
}

function isBinding({ accumulator, range, condition }: Comprehension): boolean {
  const isEmpty = range.kind === 'list' && range.items.length === 0;
  const never = condition.kind === 'literal' && condition.literal.type === 'bool' && !condition.literal.value;
  return isEmpty && never && accumulator !== '__result__';
}

function unionOf(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return exactly(expr.items.length);
  if (expr.kind === 'map') return exactly(expr.entries.length);
  if (expr.kind !== 'literal') return undefined;
  const { literal } = expr;
  if (literal.type === 'string') return exactly(characterCount(literal.value));
  return exactly(literal.type === 'bytes' ? literal.value.length : 1);
}

const scalars: ReadonlySet<Type['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: Type): boolean {
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.params[0]!);
  return scalars.has(type.kind);
}

/** Strings, bytes and all equality: as long as the shorter operand. */
const comparesAll: ReadonlySet<string> = new Set([
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id) => [`${id}_string`, `${id}_bytes`]),
  'equals',
  'not_equals',
]);

function comparisonCost(a: Range, b: Range): Range {
  const max = Math.min(a.max, b.max);
  return scale({ min: max > 0 ? 1 : 0, max }, traversal);
}
