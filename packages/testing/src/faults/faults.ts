import type { Random } from '@pintle/async';
import type { RequestFacts } from '../requests/request-facts.ts';
import { fits, type RequestFilter } from '../requests/request-log.ts';
import type { Fault } from './fault.ts';

export interface InjectOptions {
  /** Let so many pass first. Default 0. */
  readonly skip?: number;
  /** How often. Default 1; `Infinity` until it is removed. */
  readonly times?: number;
  /** Of those that fit, which share is hit, by the plane's seed. Default 1: each. */
  readonly probability?: number;
}

/** A fault that lies in wait. Dispose of it to remove it. */
export interface Injection extends Disposable {
  /** How often it has struck. */
  readonly hits: number;
}

/** What goes wrong, and when. */
export class Faults {
  readonly #random: () => Random;
  readonly #waiting = new Set<Waiting>();

  constructor(random: () => Random) {
    this.#random = random;
  }

  /** Strikes requests that fit. Of several faults that fit, the one that was injected first strikes. */
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

  /** From now on everything goes well. */
  clear(): void {
    this.#waiting.clear();
  }

  /** For the wire alone. */
  choose(request: RequestFacts & { readonly actor: string }): Fault | undefined {
    for (const waiting of this.#waiting)
      if (fits(request, waiting.filter) && this.#strikes(waiting)) return waiting.fault;
    return undefined;
  }

  #strikes(waiting: Waiting): boolean {
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
