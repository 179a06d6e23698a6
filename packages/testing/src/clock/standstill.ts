import { deferred } from '@pintle/async';

/** A stream of events that can be held up. */
interface Stallable {
  stall(): Disposable;
}

/**
 * Pauses a process, as when a virtual machine is migrated: no timer fires, no request is sent and no event arrives until it
 * resumes. The process does not notice.
 */
export class Standstill {
  readonly #watches = new Set<Stallable>();
  #resumed: ReturnType<typeof deferred<void>> | undefined;

  /** Resolves when the process resumes; `undefined` while it runs. */
  get ended(): Promise<void> | undefined {
    return this.#resumed?.promise;
  }

  /** Holds up the open watches, also after `resume`: the process keeps its old caches. */
  begin(): void {
    this.#resumed ??= deferred();
    for (const watch of this.#watches) watch.stall();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Adds a watch of the process, until the result is disposed of. */
  follow(watch: Stallable): Disposable {
    this.#watches.add(watch);
    return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
  }
}
