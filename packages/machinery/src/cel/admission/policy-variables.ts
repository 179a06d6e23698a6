import type { Evaluation } from '../program.ts';
import { MapValue } from '../values/map.ts';
import { CelError, type Value } from '../values/value.ts';

/**
 * The variables of a policy while it is evaluated for one request: each is evaluated when it is first asked for, once,
 * and may ask for those before it. What that cost is added up for whoever keeps the budget.
 */
export class PolicyVariables extends MapValue {
  readonly #programs: ReadonlyMap<string, (variables: PolicyVariables) => Evaluation>;
  readonly #known = new Map<string, Value>();
  cost = 0;

  constructor(programs: ReadonlyMap<string, (variables: PolicyVariables) => Evaluation>) {
    super();
    this.#programs = programs;
  }

  get size(): number {
    return this.#programs.size;
  }

  keys(): readonly Value[] {
    return [...this.#programs.keys()];
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const program = this.#programs.get(key);
    if (program === undefined) return undefined;
    const { value, cost } = program(this);
    this.cost += cost;
    const outcome =
      value instanceof CelError
        ? new CelError(`composited variable "${key}" fails to evaluate: ${value.message}`)
        : value;
    this.#known.set(key, outcome);
    return outcome;
  }
}
