import type { Clock } from '@pintle/async';
import type { Steps } from '@pintle/machinery/rules';
import { longTurns, runInTurns } from '../../resource/yield-policy.ts';

/**
 * Compiles each policy with the first request it matches, yields to other requests meanwhile, and caches the result.
 */
export class CompiledOnce<P extends object, R> {
  readonly #compile: (policy: P) => Steps<R>;
  readonly #made = new WeakMap<P, R | Promise<R>>();

  constructor(compile: (policy: P) => Steps<R>) {
    this.#compile = compile;
  }

  of(policy: P, clock: Pick<Clock, 'monotonic'>): R | Promise<R> {
    const known = this.#made.get(policy);
    if (known !== undefined) return known;
    const made = runInTurns(this.#compile(policy), longTurns(clock));
    this.#made.set(policy, made);
    return made;
  }
}
