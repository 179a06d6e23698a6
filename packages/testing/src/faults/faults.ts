import type { Random } from '@pintle/async';
import type { RequestFacts } from '../requests/request-facts.ts';
import { matches, type RequestFilter } from '../requests/request-log.ts';
import type { Fault } from './fault.ts';

export interface InjectOptions {
  /** Number of matching requests that pass first. Default: 0. */
  readonly skip?: number;
  /** Number of requests to affect. Default: 1; `Infinity` affects them until it is removed. */
  readonly times?: number;
  /** Share of the matching requests to affect, chosen by the plane's seed. Default: 1, all. */
  readonly probability?: number;
}

/** An injected fault. Dispose of it to remove it. */
export interface Injection extends Disposable {
  /** Number of requests that it has affected. */
  readonly hits: number;
}

/** Injected faults of a plane. */
export class Faults {
  readonly #random: () => Random;
  readonly #waiting = new Set<Waiting>();

  constructor(random: () => Random) {
    this.#random = random;
  }

  /** Applies a fault to requests that match. Of several faults that match, the one that was injected first applies. */
  inject(filter: RequestFilter, fault: Fault, { skip = 0, times = 1, probability = 1 }: InjectOptions = {}): Injection {
    const waiting: Waiting = { filter, fault, skip, left: times, probability, hits: 0 };
    this.#waiting.add(waiting);
    return {
      get hits() {
        return waiting.hits;
      },
      [Symbol.dispose]: () => void this.#waiting.delete(waiting),
    };
  }

  /** Removes all faults. */
  clear(): void {
    this.#waiting.clear();
  }

  /** @internal */
  choose(request: RequestFacts & { readonly actor: string }): Fault | undefined {
    for (const waiting of this.#waiting)
      if (matches(request, waiting.filter) && this.#applies(waiting)) return waiting.fault;
    return undefined;
  }

  #applies(waiting: Waiting): boolean {
    if (waiting.skip > 0) {
      waiting.skip--;
      return false;
    }
    if (waiting.probability < 1 && this.#random().next() >= waiting.probability) return false;
    waiting.hits++;
    if (--waiting.left <= 0) this.#waiting.delete(waiting);
    return true;
  }
}

interface Waiting {
  readonly filter: RequestFilter;
  readonly fault: Fault;
  readonly probability: number;
  skip: number;
  left: number;
  hits: number;
}
