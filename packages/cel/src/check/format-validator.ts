import { type FormatClause, readFormat } from '../functions/format-clauses.ts';
import type { Call, Expr } from '../syntax/ast.ts';
import type { Issue } from '../syntax/issues.ts';
import type { Kind } from '../types/type.ts';
import { type CheckedExpression, typeOf } from './checked.ts';

/** Kinds of values that a clause can format. */
const printable: Record<FormatClause['verb'], readonly Kind[]> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** Checks a literal format with a literal list of arguments. */
export function validateFormat(expr: Call, checked: CheckedExpression): Issue[] {
  const { target, args } = expr;
  const [list] = args;
  if (target?.kind !== 'literal' || target.literal.type !== 'string' || list?.kind !== 'list') return [];
  const { items } = list;
  let used = 0;
  for (const clause of readFormat(target.literal.value)) {
    if (typeof clause === 'string') continue;
    if (used >= items.length && !('problem' in clause && clause.isCutOff)) {
      return [{ at: expr.at, message: `index ${used} out of range` }];
    }
    if ('problem' in clause) return [{ at: expr.at, message: clause.problem }];
    const bad = formatIssue(items[used]!, clause, checked);
    if (bad !== undefined) return [bad];
    used++;
  }
  if (used === items.length) return [];
  return [
    { at: expr.at, message: `too many arguments supplied to string.format (expected ${used}, got ${items.length})` },
  ];
}

function formatIssue(expr: Expr, clause: FormatClause, checked: CheckedExpression): Issue | undefined {
  const { kind, name } = typeOf(checked, expr);
  if (kind !== 'dyn' && !printable[clause.verb].includes(kind)) {
    return { at: expr.at, message: `error during formatting: ${clause.typeError(name)}` };
  }
  if (clause.verb !== 's') return undefined;
  const parts =
    expr.kind === 'list' ? expr.items : expr.kind === 'map' ? expr.entries.flatMap((e) => [e.key, e.value]) : [];
  for (const part of parts) {
    const bad = formatIssue(part, clause, checked);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
