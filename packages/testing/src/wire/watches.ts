import { ClientError } from '@pintle/client';
import { expiredError } from '@pintle/machinery/errors';
import { fits, type RequestFilter } from '../requests/request-log.ts';
import type { TrackedWatch } from './tracked-watch.ts';

/** The watches that are open now, and those to come that a test holds up. */
export class Watches {
  readonly #open = new Set<TrackedWatch>();
  readonly #stalls = new Set<Stall>();

  /** Which are open, as `actor resource`. */
  list(filter: RequestFilter = {}): readonly { readonly actor: string; readonly resource: string }[] {
    return this.#matching(filter).map(({ actor, facts }) => ({ actor, resource: facts.resource }));
  }

  /** Breaks them, as when a connection is lost. Gives how many there were. */
  cut(filter: RequestFilter = {}): number {
    return this.#each(filter, (watch) => {
      const cause = new Error('the connection was cut');
      watch.cut(new ClientError({ code: 'Unreachable', server: 'the server', isSent: true }, { cause }));
    });
  }

  /** The server ends them politely, as it does every few minutes. */
  end(filter: RequestFilter = {}): number {
    return this.#each(filter, (watch) => watch.cut());
  }

  /** The server ends them with 410 Gone: their place in history is no longer kept, and whoever watches lists anew. */
  expire(filter: RequestFilter = {}): number {
    return this.#each(filter, (watch) => watch.fail(expiredError('too old resource version')));
  }

  /**
   * Holds up what they bring, and what those bring that begin meanwhile: whoever watches sees an old world until the
   * result is disposed of, and then everything that happened, in order.
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

  /** For the wire alone. */
  [Symbol.iterator](): Iterator<TrackedWatch> {
    return this.#open.values();
  }

  /** For the wire alone. */
  add(watch: TrackedWatch): void {
    this.#open.add(watch);
    for (const { filter, held } of this.#stalls) if (isMatch(watch, filter)) held.push(watch.stall());
  }

  /** For the wire alone. */
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
  return fits({ ...facts, actor }, filter);
}
