import {
  type Call,
  type Comprehension,
  type CreateList,
  childrenOf,
  type Expr,
  type LiteralValue,
  type MapEntry,
  type StructField,
} from './ast.ts';
import type { Issue } from './issues.ts';

/** Thrown within a parse when the expression exceeds a limit. */
export class SyntaxLimitError extends Error {
  override readonly name = 'SyntaxLimitError';
  readonly issue: Issue;
  constructor(issue: Issue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Fifty times the size of the longest usual expressions. Bounds macros that copy their operands. */
const maxNodes = 30_000;
/** Nesting limit, because later steps are recursive. */
const maxDepth = 1_000;

/** Creates and numbers the nodes of one expression, and limits their number and depth. */
export class ExprFactory {
  readonly #depths: number[] = [0];

  literal(at: number, literal: LiteralValue): Expr {
    return this.#checkDepth({ kind: 'literal', id: this.#next(at), at, literal });
  }

  ident(at: number, name: string, isRooted = false): Expr {
    return this.#checkDepth({ kind: 'ident', id: this.#next(at), at, name, isRooted });
  }

  select(at: number, operand: Expr, field: string, testOnly = false): Expr {
    return this.#checkDepth({ kind: 'select', id: this.#next(at), at, operand, field, testOnly });
  }

  call(at: number, name: string, args: readonly Expr[], target?: Expr): Call {
    return this.#checkDepth({ kind: 'call', id: this.#next(at), at, name, target, args });
  }

  list(at: number, items: readonly Expr[], optional: ReadonlySet<number> = new Set()): CreateList {
    return this.#checkDepth({ kind: 'list', id: this.#next(at), at, items, optional });
  }

  map(at: number, entries: readonly MapEntry[]): Expr {
    return this.#checkDepth({ kind: 'map', id: this.#next(at), at, entries });
  }

  struct(at: number, typeName: string, fields: readonly StructField[]): Expr {
    return this.#checkDepth({ kind: 'struct', id: this.#next(at), at, typeName, fields });
  }

  comprehension(at: number, parts: Omit<Comprehension, 'kind' | 'id' | 'at'>): Expr {
    return this.#checkDepth({ kind: 'comprehension', id: this.#next(at), at, ...parts });
  }

  entry(at: number, key: Expr, value: Expr, optional: boolean): MapEntry {
    return { id: this.#next(at), at, key, value, optional };
  }

  field(at: number, name: string, value: Expr, optional: boolean): StructField {
    return { id: this.#next(at), at, name, value, optional };
  }

  get count(): number {
    return this.#depths.length;
  }

  /** Returns a copy of the expression with new ids. */
  copy(expr: Expr): Expr {
    const { at } = expr;
    switch (expr.kind) {
      case 'literal':
        return this.literal(at, expr.literal);
      case 'ident':
        return this.ident(at, expr.name, expr.isRooted);
      case 'select':
        return this.select(at, this.copy(expr.operand), expr.field, expr.testOnly);
      case 'call': {
        const target = expr.target === undefined ? undefined : this.copy(expr.target);
        const args = expr.args.map((arg) => this.copy(arg));
        return this.call(at, expr.name, args, target);
      }
      case 'list': {
        const items = expr.items.map((item) => this.copy(item));
        return this.list(at, items, expr.optional);
      }
      case 'map': {
        const entries = expr.entries.map((e) => this.entry(e.at, this.copy(e.key), this.copy(e.value), e.optional));
        return this.map(at, entries);
      }
      case 'struct': {
        const fields = expr.fields.map((f) => this.field(f.at, f.name, this.copy(f.value), f.optional));
        return this.struct(at, expr.typeName, fields);
      }
      case 'comprehension': {
        const { kind: _kind, id: _id, at: _at, ...parts } = expr;
        const { range, init, condition, step, result } = parts;
        return this.comprehension(at, {
          ...parts,
          range: this.copy(range),
          init: this.copy(init),
          condition: this.copy(condition),
          step: this.copy(step),
          result: this.copy(result),
        });
      }
    }
  }

  #next(at: number): number {
    if (this.#depths.length > maxNodes) {
      throw new SyntaxLimitError({ at, message: `expression exceeds limit of ${maxNodes} nodes` });
    }
    return this.#depths.push(1) - 1;
  }

  #checkDepth<T extends Expr>(node: T): T {
    let depth = 0;
    for (const child of childrenOf(node)) depth = Math.max(depth, this.#depths[child.id]!);
    if (depth >= maxDepth) throw new SyntaxLimitError(tooDeep(node.at));
    this.#depths[node.id] = depth + 1;
    return node;
  }
}

export const maxNesting = 250;

export function tooDeep(at: number): Issue {
  return { at, message: `expression recursion limit exceeded: ${maxNesting}` };
}
