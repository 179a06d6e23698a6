import { type CheckedExpression, typeOf } from './check/checked.ts';
import { check } from './check/checker.ts';
import type { Environment } from './check/environment.ts';
import { validateLiterals } from './check/validators.ts';
import { estimateCost, type MaxSizeAt } from './cost/estimate.ts';
import type { Range } from './cost/range.ts';
import { type CompiledExpression, ConstantError, compile } from './evaluate/compile.ts';
import { CostExceeded, Frame } from './evaluate/frame.ts';
import { describeIssues } from './syntax/issues.ts';
import { parse } from './syntax/parser.ts';
import type { Type } from './types/type.ts';
import { CelError, type Value } from './values/value.ts';

/** Result and cost of an evaluation. */
export interface Evaluation {
  /** The value, or an error. */
  readonly value: Value;
  readonly cost: number;
  /** True when the cost limit was exceeded. */
  readonly isExceeded: boolean;
}

/** Cost limit of one evaluation in Kubernetes. */
export const perCallLimit = 1_000_000;

/** A checked and compiled expression, which can be evaluated any number of times. */
export class Program {
  readonly source: string;
  readonly #checked: CheckedExpression;
  readonly #compiled: CompiledExpression;

  constructor(checked: CheckedExpression, compiled: CompiledExpression) {
    this.source = checked.source;
    this.#checked = checked;
    this.#compiled = compiled;
  }

  /** Type of the result. */
  get type(): Type {
    return this.#checked.types[this.#checked.expr.id]!;
  }

  /** True when the expression uses the variable. */
  uses(variable: string): boolean {
    return this.#checked.references.some(
      (found) => found?.kind === 'variable' && !found.isLocal && found.name === variable,
    );
  }

  /** Returns the minimum and maximum cost, based on the sizes of its variables. */
  estimateCost(maxSizeAt: MaxSizeAt = () => undefined): Range {
    return estimateCost(this.#checked, maxSizeAt);
  }

  /**
   * Evaluates the expression. A missing variable is an error where it is used. Throws only what a variable throws.
   * `onStart` gets an object that shows the growing cost.
   */
  evaluate(
    variables: Readonly<Record<string, Value | undefined>>,
    limit: number = perCallLimit,
    onStart?: (running: { readonly cost: number }) => void,
  ): Evaluation {
    const slots = new Array<Value>(this.#compiled.slotCount);
    for (const [name, slot] of this.#compiled.variables) {
      slots[slot] = variables[name] ?? absent(variables, name);
    }
    const frame = new Frame(slots, limit);
    onStart?.(frame);
    try {
      const value = this.#compiled.step(frame);
      return { value, cost: frame.cost, isExceeded: false };
    } catch (error) {
      // A RangeError means that memory or stack ran out, and counts as exceeding the limit.
      if (!(error instanceof CostExceeded) && !(error instanceof RangeError)) throw error;
      return { value: new CelError(exceeded), cost: frame.cost, isExceeded: true };
    }
  }
}

const exceeded = new CostExceeded().message;

function absent(variables: Readonly<Record<string, Value | undefined>>, name: string): Value {
  return Object.hasOwn(variables, name) && variables[name] === null
    ? null
    : new CelError(`no such attribute(s): ${name}`);
}

export type Compilation =
  | { readonly program: Program }
  /** The expression does not compile; the text shows where. */
  | { readonly stage: 'compile'; readonly error: string }
  /** The expression compiles, but a constant in it has no value. */
  | { readonly stage: 'instantiate'; readonly error: string; readonly type: Type };

/** Parses, checks and compiles an expression. Never throws, whatever the source. */
export function compileExpression(source: string, environment: Environment): Compilation {
  const parsed = parse(source);
  if ('issues' in parsed) return { stage: 'compile', error: describeIssues(source, parsed.issues) };
  const result = check(source, parsed.expr, environment);
  if ('issues' in result) return { stage: 'compile', error: describeIssues(source, result.issues) };
  const issues = validateLiterals(result.checked);
  if (issues.length > 0) return { stage: 'compile', error: describeIssues(source, issues) };
  try {
    return { program: new Program(result.checked, compile(result.checked, environment)) };
  } catch (error) {
    if (!(error instanceof ConstantError)) throw error;
    return { stage: 'instantiate', error: error.message, type: typeOf(result.checked, result.checked.expr) };
  }
}
