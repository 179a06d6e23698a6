import type { FunctionDeclaration, Overload } from '../functions/declare.ts';
import type { Expr } from '../syntax/ast.ts';
import type { Type } from '../types/type.ts';

/** What a name in an expression was found to be. */
export type Reference =
  /** A variable, by the full name it has; local ones are those of comprehensions. */
  | { readonly kind: 'variable'; readonly name: string; readonly isLocal: boolean }
  | { readonly kind: 'type'; readonly type: Type }
  | {
      readonly kind: 'function';
      readonly declaration: FunctionDeclaration;
      readonly overloads: readonly Overload[];
      /** Absent where the receiver turned out to be the first part of the function's name. */
      readonly target: Expr | undefined;
    };

/** An expression whose types are known. */
export interface CheckedExpression {
  readonly source: string;
  readonly expr: Expr;
  /** By node id. */
  readonly types: readonly (Type | undefined)[];
  readonly references: readonly (Reference | undefined)[];
}

export function typeOf({ types }: CheckedExpression, expr: Expr): Type {
  return types[expr.id]!;
}
