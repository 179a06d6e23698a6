/** An expression after macro expansion: `has`, `all` and other macros are replaced by the core language. */
export type Expr = Literal | Ident | Select | Call | CreateList | CreateMap | CreateStruct | Comprehension;

interface ExprNode {
  /** Unique in the expression, starting at 1. Results of the checker are keyed by it. */
  readonly id: number;
  /** Position in the source for messages, in UTF-16 units: of an operator, or of a call's parenthesis. */
  readonly at: number;
}

/** Literals by type. An `int` outside of ±2^53 is a bigint, a `uint` always is. */
export type LiteralValue =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: number | bigint }
  | { readonly type: 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

interface Literal extends ExprNode {
  readonly kind: 'literal';
  readonly literal: LiteralValue;
}

interface Ident extends ExprNode {
  readonly kind: 'ident';
  readonly name: string;
  /** Written with a leading dot. */
  readonly isRooted: boolean;
}

export interface Select extends ExprNode {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`: tests for the field. */
  readonly testOnly: boolean;
}

export interface Call extends ExprNode {
  readonly kind: 'call';
  /** Name of a function or operator: `_+_`, `_[_]`, `_?_:_`, `_?._`. */
  readonly name: string;
  readonly target: Expr | undefined;
  /** `_&&_` and `_||_` have two or more arguments: chains are flat. */
  readonly args: readonly Expr[];
}

export interface CreateList extends ExprNode {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Positions of `?item`, which are skipped when they have no value. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly id: number;
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface CreateMap extends ExprNode {
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

export interface CreateStruct extends ExprNode {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/**
 * The loop of the language: `accumulator` starts as `init`; while `condition` is true, `step` updates it for each item
 * of `range`; `result` is the value.
 */
export interface Comprehension extends ExprNode {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** Value beside the key or index, in comprehensions with two variables. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Returns the direct children of an expression. */
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

/** Returns `a.b.c` as a dotted name, if the expression is one. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
