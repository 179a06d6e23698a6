/**
 * An expression as it is checked, costed and evaluated: macros are expanded, so `has`, `all` and their like are gone and
 * what is left is the core language.
 */
export type Expr = Literal | Ident | Select | Call | CreateList | CreateMap | CreateStruct | Comprehension;

interface Node {
  /** Unique in the expression, counted from 1; what a checker learns about a node is kept by it. */
  readonly id: number;
  /** Where in the source the node stands, for people: an operator's sign, a call's parenthesis. In UTF-16 units. */
  readonly at: number;
}

/** The kinds of literal; an `int` outside of ±2^53 is a bigint, a `uint` always is. */
export type LiteralValue =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: number | bigint }
  | { readonly type: 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

interface Literal extends Node {
  readonly kind: 'literal';
  readonly literal: LiteralValue;
}

interface Ident extends Node {
  readonly kind: 'ident';
  readonly name: string;
  /** Written with a dot before it. */
  readonly isRooted: boolean;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`: asks whether the field is there. */
  readonly testOnly: boolean;
}

export interface Call extends Node {
  readonly kind: 'call';
  /** A function's name, or an operator's: `_+_`, `_[_]`, `_?_:_`, `_?._`. */
  readonly name: string;
  readonly target: Expr | undefined;
  /** Of `_&&_` and `_||_` there may be any number from two on: chains are kept flat. */
  readonly args: readonly Expr[];
}

export interface CreateList extends Node {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Positions of items written as `?item`, which are left out when they have no value. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly id: number;
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface CreateMap extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly id: number;
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface CreateStruct extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/**
 * The one loop of the language: `accumulator` begins as `init`; while `condition` holds, each item of `range` turns it
 * into `step`; `result` is the value.
 */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** The value beside the key or index, in comprehensions with two variables. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Every expression directly inside another. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.items;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

/** `a.b.c` as a dotted name, if that is all there is. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
