import type { FunctionDeclaration, Overload } from '../functions/declare.ts';
import type { Expr } from '../syntax/ast.ts';
import type { Type } from '../types/type.ts';

/** Meaning of a name in an expression. */
export type Reference =
  /** A variable by its full name; local ones belong to comprehensions. */
  | { readonly kind: 'variable'; readonly name: string; readonly isLocal: boolean }
  | { readonly kind: 'type'; readonly type: Type }
  | {
      readonly kind: 'function';
      readonly declaration: FunctionDeclaration;
      readonly overloads: readonly Overload[];
      /** Absent when the receiver is the first part of the function's name. */
      readonly target: Expr | undefined;
    };

/** An expression with the types of its parts. */
export interface CheckedExpression {
  readonly source: string;
  readonly expr: Expr;
  /** Types by node id. */
  readonly types: readonly (Type | undefined)[];
  readonly references: readonly (Reference | undefined)[];
}

export function typeOf({ types }: CheckedExpression, expr: Expr): Type {
  return types[expr.id]!;
}
