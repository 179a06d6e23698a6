import { conversions } from '../functions/conversions.ts';
import { compilePatternLiteral } from '../functions/regex.ts';
import { type Call, childrenOf, type Expr } from '../syntax/ast.ts';
import type { Issue } from '../syntax/issues.ts';
import { formatType, isSameType, type Type } from '../types/type.ts';
import { isError, type Value } from '../values/value.ts';
import { type CheckedExpression, typeOf } from './checked.ts';
import { validateFormat } from './format-validator.ts';

/**
 * Finds errors that do not depend on variables: invalid literals of durations, times and patterns, format arguments of
 * the wrong type, and lists and maps of mixed types.
 */
export function validateLiterals(checked: CheckedExpression): Issue[] {
  const issues: Issue[] = [];
  visit(checked.expr, false);
  return issues;

  function visit(expr: Expr, isFormatted: boolean): void {
    if (expr.kind === 'call') validateCall(expr, checked, issues);
    if (!isFormatted) validateAggregate(expr, checked, issues);
    const inside = isFormatted || (expr.kind === 'call' && expr.name === 'format');
    for (const child of childrenOf(expr)) visit(child, inside);
  }
}

function validateCall(expr: Call, checked: CheckedExpression, issues: Issue[]): void {
  if (expr.name === 'format') issues.push(...validateFormat(expr, checked));
  const [arg] = expr.args;
  if (arg?.kind !== 'literal') return;
  if (
    expr.name === 'matches' &&
    arg.literal.type === 'string' &&
    compilePatternLiteral(arg.literal.value) !== undefined
  ) {
    issues.push({ at: arg.at, message: 'invalid matches argument' });
  }
  if (expr.name !== 'duration' && expr.name !== 'timestamp') return;
  const convert = conversions.find(({ name }) => name === expr.name)!;
  const overload = convert.overloads.find(({ args: [type] }) => type!.kind === arg.literal.type);
  const value = arg.literal.type === 'null' ? null : arg.literal.value;
  if (overload === undefined || !isError((overload.call as (value: Value) => Value)(value as Value))) return;
  issues.push({ at: arg.at, message: `invalid ${expr.name} argument` });
}

function validateAggregate(expr: Expr, checked: CheckedExpression, issues: Issue[]): void {
  const present = (item: Expr, isOptional: boolean): Type => {
    const type = typeOf(checked, item);
    return isOptional ? (type.params[0] ?? type) : type;
  };
  if (expr.kind === 'list') {
    const types = expr.items.map((item, index) => [item, present(item, expr.optional.has(index))] as const);
    const [odd] = mixedTypeIssues(types);
    if (odd !== undefined) issues.push(odd);
  } else if (expr.kind === 'map') {
    issues.push(...mixedTypeIssues(expr.entries.map(({ key }) => [key, typeOf(checked, key)] as const)));
    issues.push(
      ...mixedTypeIssues(expr.entries.map(({ value, optional }) => [value, present(value, optional)] as const)),
    );
  }
}

function mixedTypeIssues(items: readonly (readonly [Expr, Type])[]): Issue[] {
  const [first] = items;
  if (first === undefined) return [];
  return items
    .filter(([, type]) => !isSameType(first[1], type))
    .map(([{ at }, type]) => ({
      at,
      message: `expected type '${formatType(first[1])}' but found '${formatType(type)}'`,
    }));
}
