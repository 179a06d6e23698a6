import { ClientError } from '@pintle/client';
import { expiredError } from '@pintle/machinery/errors';
import { matches, type RequestFilter } from '../requests/request-log.ts';
import type { TrackedWatch } from './tracked-watch.ts';

/** Open watches, and the stalls for watches to come. */
export class Watches {
  readonly #open = new Set<TrackedWatch>();
  readonly #stalls = new Set<Stall>();

  /** Returns the actors and resources of open watches. */
  list(filter: RequestFilter = {}): readonly { readonly actor: string; readonly resource: string }[] {
    return this.#matching(filter).map(({ actor, facts }) => ({ actor, resource: facts.resource }));
  }

  /** Breaks watches, as when a connection is lost. Returns their number. */
  cut(filter: RequestFilter = {}): number {
    return this.#each(filter, (watch) => {
      const cause = new Error('the connection was cut');
      watch.cut(new ClientError({ code: 'Unreachable', server: 'the server', isSent: true }, { cause }));
    });
  }

  /** Ends watches as the server does every few minutes. Returns their number. */
  end(filter: RequestFilter = {}): number {
    return this.#each(filter, (watch) => watch.cut());
  }

  /** Ends watches with 410 Gone, as when their resourceVersion is compacted; clients list again. Returns their number. */
  expire(filter: RequestFilter = {}): number {
    return this.#each(filter, (watch) => watch.fail(expiredError('too old resource version')));
  }

  /**
   * Holds up the events of watches, also of those that begin meanwhile. Clients see an old state until the result is disposed
   * of, and then all events in order.
   */
  stall(filter: RequestFilter = {}): Disposable {
    const stall: Stall = { filter, held: this.#matching(filter).map((watch) => watch.stall()) };
    this.#stalls.add(stall);
    return {
      [Symbol.dispose]: () => {
        this.#stalls.delete(stall);
        for (const held of stall.held.splice(0)) held[Symbol.dispose]();
      },
    };
  }

  /** @internal */
  [Symbol.iterator](): Iterator<TrackedWatch> {
    return this.#open.values();
  }

  /** @internal */
  add(watch: TrackedWatch): void {
    this.#open.add(watch);
    for (const { filter, held } of this.#stalls) if (isMatch(watch, filter)) held.push(watch.stall());
  }

  /** @internal */
  remove(watch: TrackedWatch): void {
    this.#open.delete(watch);
  }

  #each(filter: RequestFilter, act: (watch: TrackedWatch) => void): number {
    const found = this.#matching(filter);
    for (const watch of found) act(watch);
    return found.length;
  }

  #matching(filter: RequestFilter): TrackedWatch[] {
    return [...this.#open].filter((watch) => isMatch(watch, filter));
  }
}

interface Stall {
  readonly filter: RequestFilter;
  readonly held: Disposable[];
}

function isMatch({ actor, facts }: TrackedWatch, filter: RequestFilter): boolean {
  return matches({ ...facts, actor }, filter);
}
