import { setMaxListeners } from 'node:events';
import type { Runnable } from '@pintle/async';

/** Runs with a manager. */
export interface ManagedRunnable extends Runnable {
  /** False: it also runs while another process leads. Default: true. */
  readonly needsLease?: boolean;
  /** When it is there, what comes later in the manager's order waits for it. */
  readonly started?: Promise<unknown>;
}

/** What is started together and stopped together. */
export class RunnableGroup {
  readonly name: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  #waiting: ManagedRunnable[] | undefined = [];

  constructor(name: string, onFailure: (error: unknown) => void) {
    this.name = name;
    this.#onFailure = onFailure;
    setMaxListeners(0, this.#stop.signal);
  }

  /** Begins when the group does; at once when it has, never when it has stopped. */
  add(runnable: ManagedRunnable): void {
    if (this.#waiting !== undefined) this.#waiting.push(runnable);
    else this.#begin(runnable);
  }

  /** Resolves once those that say when they have started have; a failure is told to `onFailure`. */
  async start(): Promise<void> {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const runnable of waiting) this.#begin(runnable);
    await Promise.all(waiting.map(({ started }) => started?.catch(() => undefined)));
  }

  /** Tells all to stop, without waiting. */
  abort(reason?: unknown): void {
    this.#waiting = undefined;
    this.#stop.abort(reason);
  }

  /** Resolves once all have stopped. */
  async stop(): Promise<void> {
    this.abort();
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  get isRunning(): boolean {
    return this.#runs.size > 0;
  }

  #begin(runnable: ManagedRunnable): void {
    if (this.#stop.signal.aborted) return;
    const run = this.#run(runnable).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  async #run(runnable: ManagedRunnable): Promise<void> {
    try {
      await runnable.run({ signal: this.#stop.signal });
    } catch (error) {
      // What fails because it was told to stop has not failed.
      if (!this.#stop.signal.aborted) this.#onFailure(error);
    }
  }
}
