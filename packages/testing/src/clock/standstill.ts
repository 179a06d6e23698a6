import { deferred } from '@pintle/async';

/** Something that brings a process what happens elsewhere. */
interface Stallable {
  stall(): Disposable;
}

/**
 * Lets a process stand still, as a virtual machine that is moved does: no timer fires, nothing it sends leaves, and no
 * event arrives until it goes on. It notices nothing of that.
 */
export class Standstill {
  readonly #watches = new Set<Stallable>();
  #resumed: ReturnType<typeof deferred<void>> | undefined;

  /** Resolves when the process goes on; `undefined` while it runs. */
  get ended(): Promise<void> | undefined {
    return this.#resumed?.promise;
  }

  /** Watches that are open stay silent from now on, also after `resume`: what the process knows is what it knew. */
  begin(): void {
    this.#resumed ??= deferred();
    for (const watch of this.#watches) watch.stall();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Tells of a watch of the process, until it ends. */
  follow(watch: Stallable): Disposable {
    this.#watches.add(watch);
    return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
  }
}
