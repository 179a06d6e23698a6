import type { Evaluation, PolicyEnvironmentOptions, Program, Type, Value } from '@pintle/cel';
import { CelError, compileExpression, DYN, PolicyVariables, perCallLimit, policyEnvironment } from '@pintle/cel';
import type { Steps } from '@pintle/machinery/rules';
import type { ConditionOutcome } from '../matching/match-conditions.ts';

/** CEL cost of a policy for one request and one parameter, not counting its match conditions. */
const BUDGET = 10_000_000;
const CONDITIONS_BUDGET = 2_500_000;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** A compiled expression, or the reason why it does not compile; stored ones usually do. */
export type Expression = Program | { readonly source: string; readonly error: string };

export type Outcome = { readonly value: Value } | { readonly error: string };

interface PolicyExpressionsSpec {
  readonly paramKind?: unknown;
  readonly matchConditions?: readonly { readonly expression: string }[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** The compiled expressions of a policy. */
export class CompiledPolicy {
  readonly #conditions: Expression[] = [];
  readonly #variables = new Map<string, Expression>();
  readonly #types = new Map<string, Type>();
  readonly #hasParams: boolean;

  private constructor(hasParams: boolean) {
    this.#hasParams = hasParams;
  }

  static *compile({ paramKind, matchConditions = [], variables = [] }: PolicyExpressionsSpec): Steps<CompiledPolicy> {
    const policy = new CompiledPolicy(paramKind !== undefined);
    for (const { expression } of matchConditions) {
      policy.#conditions.push(policy.compile(expression, { hasAuthorizer: true }));
      yield;
    }
    for (const { name, expression } of variables) {
      const compiled = policy.compile(expression, { hasAuthorizer: true });
      policy.#variables.set(name, compiled);
      policy.#types.set(name, 'error' in compiled ? DYN : compiled.type);
      yield;
    }
    return policy;
  }

  /** Compiles an expression that sees the parameter, the namespace, all variables and what `offered` adds. */
  compile(source: string, offered: PolicyEnvironmentOptions): Expression {
    const compiled = compileExpression(
      source,
      policyEnvironment({ ...offered, hasParams: this.#hasParams, hasNamespace: true, variables: this.#types }),
    );
    return 'program' in compiled ? compiled.program : { source, error: `compilation error: ${compiled.error}` };
  }

  /** Evaluates the match conditions. A false condition outweighs those that failed. */
  *evaluateConditions(inputs: Readonly<Record<string, Value>>): Steps<ConditionOutcome> {
    if (this.#conditions.length === 0) return { isMatch: true };
    const run = new PolicyRun(this.#variables, { ...inputs, namespaceObject: null }, CONDITIONS_BUDGET);
    const errors = new Set<string>();
    try {
      for (const condition of this.#conditions) {
        const outcome = yield* run.evaluate(condition);
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

  /** `inputs`: variables of the request, such as `object`, `request` and `params`. */
  run(inputs: Readonly<Record<string, Value>>): PolicyRun {
    return new PolicyRun(this.#variables, inputs, BUDGET);
  }
}

/** Thrown when the expressions of a policy together exceed their cost budget. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';

  constructor() {
    super(OUT_OF_BUDGET);
  }
}

/** Aborts an expression that needs a variable after long work. The variable is evaluated first, in the next turn. */
class Paused extends Error {
  override readonly name = 'Paused';
  readonly variable: string;

  constructor(variable: string) {
    super(`Cannot evaluate the variable ${variable} in this turn`);
    this.variable = variable;
  }
}

/** CEL cost of an expression and its variables in one turn of the event loop. */
const TURN_COST = 1_500_000;
/** Depth of variables that are evaluated within each other before the innermost waits for the next turn. */
const MAX_NESTED = 100;
/** Limit of the cost of evaluations that are repeated after pauses, which do not count against the budget. */
const REPEATED_BUDGET = 3 * BUDGET;

/** Evaluates a policy for one request and one parameter. Each variable is evaluated once, and costs are added up. */
export class PolicyRun {
  readonly #expressions: ReadonlyMap<string, Expression>;
  readonly #inputs: Readonly<Record<string, Value>>;
  readonly #variables: PolicyVariables;
  #budget: number;
  #repeatedBudget = REPEATED_BUDGET;
  /** Cost of the evaluations that ended in this turn. */
  #turnCost = 0;
  /** The innermost evaluation; `#outerCost` is the cost of those around it. */
  #running: { readonly cost: number } | undefined;
  #outerCost = 0;
  #nested = 0;

  constructor(variables: ReadonlyMap<string, Expression>, inputs: Readonly<Record<string, Value>>, budget: number) {
    this.#budget = budget;
    this.#expressions = variables;
    this.#variables = new PolicyVariables(variables, (name) => this.#evaluateVariable(name));
    this.#inputs = { ...inputs, variables: this.#variables };
  }

  /** Throws `OutOfBudget`. */
  *evaluate(expression: Expression): Steps<Outcome> {
    const value = yield* this.#evaluateInTurns(expression);
    if (!(value instanceof CelError)) return { value };
    if ('error' in expression) return { error: expression.error };
    return { error: `expression '${expression.source}' resulted in error: ${value.message}` };
  }

  *#evaluateInTurns(expression: Expression): Steps<Value> {
    /** Variables that wait for the next turn. Each needs those after it. */
    const waiting: string[] = [];
    for (;;) {
      this.#turnCost = 0;
      const variable = waiting.at(-1);
      try {
        if (variable === undefined) return this.#evaluate(expression).value;
        this.#variables.get(variable);
        waiting.pop();
      } catch (error) {
        if (!(error instanceof Paused)) throw error;
        waiting.push(error.variable);
      }
      yield;
    }
  }

  #evaluateVariable(name: string): Evaluation {
    const cost = this.#runningCost;
    if (this.#nested > 0 && (this.#nested > MAX_NESTED || this.#turnCost + cost > TURN_COST)) {
      this.#repeatedBudget -= cost;
      if (this.#repeatedBudget < 0) throw new OutOfBudget();
      throw new Paused(name);
    }
    return this.#evaluate(this.#expressions.get(name)!);
  }

  get #runningCost(): number {
    return this.#outerCost + (this.#running?.cost ?? 0);
  }

  #evaluate(expression: Expression): Evaluation {
    if ('error' in expression) return { value: new CelError(expression.error), cost: 0, isExceeded: false };
    const [running, outerCost] = [this.#running, this.#outerCost];
    this.#outerCost = this.#runningCost;
    this.#nested++;
    try {
      const left = this.#budget - this.#outerCost;
      const evaluation = expression.evaluate(this.#inputs, Math.min(perCallLimit, left), (frame) => {
        this.#running = frame;
      });
      this.#budget -= evaluation.cost;
      this.#turnCost += evaluation.cost;
      if (this.#budget < this.#outerCost || (evaluation.isExceeded && left < perCallLimit)) throw new OutOfBudget();
      return evaluation;
    } finally {
      this.#running = running;
      this.#outerCost = outerCost;
      this.#nested--;
    }
  }
}
