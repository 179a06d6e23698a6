import { ownTurn } from '@pintle/async';

/**
 * Work to be done about keys. A key is never worked on twice at a time; one that is added while it is worked on gets its
 * turn again afterwards, once however often it was added.
 */
export class KeyedWork {
  readonly #work: (key: string, signal: AbortSignal) => Promise<void>;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #running = new Map<string, Promise<void>>();
  /** Added again while worked on. Always a subset of the running ones. */
  readonly #again = new Set<string>();
  readonly #stop = new AbortController();

  constructor(
    work: (key: string, signal: AbortSignal) => Promise<void>,
    onError: (error: unknown, key: string) => void,
  ) {
    this.#work = work;
    this.#onError = onError;
  }

  add(key: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#running.has(key)) this.#again.add(key);
    else this.#running.set(key, this.#run(key));
  }

  /** Takes no more; resolves once what is under way has ended. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The work has been stopped'));
    await Promise.all(this.#running.values());
  }

  async #run(key: string): Promise<void> {
    const { signal } = this.#stop;
    do {
      this.#again.delete(key);
      // What adds a key is often a write that others want to hear of first, and may add hundreds at a time.
      await ownTurn();
      if (signal.aborted) break;
      try {
        await this.#work(key, signal);
      } catch (error) {
        if (!signal.aborted) this.#onError(error, key);
      }
    } while (this.#again.has(key));
    this.#running.delete(key);
  }
}
