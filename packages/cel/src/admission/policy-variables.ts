import type { Evaluation } from '../program.ts';
import { MapValue } from '../values/map.ts';
import { CelError, type Value } from '../values/value.ts';

/**
 * Variables of a policy during its evaluation for one request. Each is evaluated once, when first used, and may use
 * earlier ones. Errors that `evaluate` throws propagate to the expression's caller.
 */
export class PolicyVariables extends MapValue {
  readonly #names: ReadonlyMap<string, unknown>;
  readonly #evaluate: (name: string, variables: PolicyVariables) => Evaluation;
  readonly #known = new Map<string, Value>();

  constructor(names: ReadonlyMap<string, unknown>, evaluate: (name: string, variables: PolicyVariables) => Evaluation) {
    super();
    this.#names = names;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#names.size;
  }

  keys(): readonly Value[] {
    return [...this.#names.keys()];
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (!this.#names.has(key)) return undefined;
    const { value } = this.#evaluate(key, this);
    const outcome =
      value instanceof CelError
        ? new CelError(`composited variable "${key}" fails to evaluate: ${value.message}`)
        : value;
    this.#known.set(key, outcome);
    return outcome;
  }
}
