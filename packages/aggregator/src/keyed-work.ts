import { waitForOwnTurn } from '@pintle/async';

/**
 * Runs work by key, never twice at a time for one key. A key that is added while its work is running runs once more
 * afterwards, however often it was added.
 */
export class KeyedWork {
  readonly #work: (key: string, signal: AbortSignal) => Promise<void>;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #running = new Map<string, Promise<void>>();
  /** Added again while running. Always a subset of the running keys. */
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

  /** Accepts no more keys; resolves when running work has ended. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The work was stopped'));
    await Promise.all(this.#running.values());
  }

  async #run(key: string): Promise<void> {
    const { signal } = this.#stop;
    do {
      this.#again.delete(key);
      // Keys are added in the middle of writes, and often by the hundreds: responses go first.
      await waitForOwnTurn();
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
