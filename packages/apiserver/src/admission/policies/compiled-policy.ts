import type { Evaluation, PolicyEnvironmentOptions, Program, Type, Value } from '@pintle/machinery/cel';
import {
  CelError,
  compileExpression,
  DYN,
  PolicyVariables,
  perCallLimit,
  policyEnvironment,
} from '@pintle/machinery/cel';
import type { Steps } from '@pintle/machinery/rules';
import type { ConditionVerdict } from '../matching/match-conditions.ts';

/** What a policy may cost for one request and one parameter, and its conditions on top of that. */
const BUDGET = 10_000_000;
const CONDITIONS_BUDGET = 2_500_000;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** An expression that is ready to be evaluated. One that was stored does compile, as a rule. */
export type Expression = Program | { readonly source: string; readonly error: string };

export type Outcome = { readonly value: Value } | { readonly error: string };

export interface PolicyExpressionsSpec {
  readonly paramKind?: unknown;
  readonly matchConditions?: readonly { readonly expression: string }[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** The expressions of a policy, compiled. */
export class CompiledPolicy {
  readonly #conditions: readonly Expression[];
  readonly #variables = new Map<string, Expression>();
  readonly #types = new Map<string, Type>();
  readonly #hasParams: boolean;

  constructor({ paramKind, matchConditions = [], variables = [] }: PolicyExpressionsSpec) {
    this.#hasParams = paramKind !== undefined;
    this.#conditions = matchConditions.map(({ expression }) => this.compile(expression, { hasAuthorizer: true }));
    for (const { name, expression } of variables) {
      const compiled = this.compile(expression, { hasAuthorizer: true });
      this.#variables.set(name, compiled);
      this.#types.set(name, 'error' in compiled ? DYN : compiled.type);
    }
  }

  /** Sees the parameter, the namespace and all variables, beside what is offered. */
  compile(source: string, offered: PolicyEnvironmentOptions): Expression {
    const compiled = compileExpression(
      source,
      policyEnvironment({ ...offered, hasParams: this.#hasParams, hasNamespace: true, variables: this.#types }),
    );
    return 'program' in compiled ? compiled.program : { source, error: `compilation error: ${compiled.error}` };
  }

  /** Whether the conditions hold. One that is false outweighs any that cannot be decided. */
  *judgeConditions(inputs: Readonly<Record<string, Value>>): Steps<ConditionVerdict> {
    if (this.#conditions.length === 0) return { isMatch: true };
    const run = new PolicyRun(this.#variables, { ...inputs, namespaceObject: null }, CONDITIONS_BUDGET);
    const errors = new Set<string>();
    try {
      for (const condition of this.#conditions) {
        const outcome = run.evaluate(condition);
        if ('error' in outcome) errors.add(outcome.error);
        else if (outcome.value === false) return { isMatch: false };
        yield;
      }
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return { error: error.message };
    }
    if (errors.size === 0) return { isMatch: true };
    const [first] = errors;
    return { error: errors.size === 1 ? first! : `[${[...errors].join(', ')}]` };
  }

  /** `inputs`: the variables that requests give: `object`, `request`, `params` and so on. */
  run(inputs: Readonly<Record<string, Value>>): PolicyRun {
    return new PolicyRun(this.#variables, inputs, BUDGET);
  }
}

/** All expressions of a policy together cost more than they may. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';

  constructor() {
    super(OUT_OF_BUDGET);
  }
}

/** The evaluation of a policy for one request and one parameter: variables are evaluated once, costs are added up. */
export class PolicyRun {
  readonly #inputs: Readonly<Record<string, Value>>;
  readonly #variables: PolicyVariables;
  #budget: number;

  constructor(variables: ReadonlyMap<string, Expression>, inputs: Readonly<Record<string, Value>>, budget: number) {
    this.#budget = budget;
    const evaluated = new Map(
      [...variables].map(([name, expression]) => [name, () => this.#evaluate(expression)] as const),
    );
    this.#variables = new PolicyVariables(evaluated);
    this.#inputs = { ...inputs, variables: this.#variables };
  }

  /** Throws `OutOfBudget`. */
  evaluate(expression: Expression): Outcome {
    const before = this.#variables.cost;
    const { value, cost } = this.#evaluate(expression);
    this.#budget -= cost + this.#variables.cost - before;
    if (this.#budget < 0) throw new OutOfBudget();
    if (!(value instanceof CelError)) return { value };
    if ('error' in expression) return { error: expression.error };
    return { error: `expression '${expression.source}' resulted in error: ${value.message}` };
  }

  #evaluate(expression: Expression): Evaluation {
    if ('error' in expression) return { value: new CelError(expression.error), cost: 0, isExceeded: false };
    return expression.evaluate(this.#inputs, perCallLimit);
  }
}
