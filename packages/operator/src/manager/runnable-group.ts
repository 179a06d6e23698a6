import { setMaxListeners } from 'node:events';
import type { Runnable } from '@pintle/async';

/** Runnable of a manager. */
export interface ManagedRunnable extends Runnable {
  /** False runs it also while another process leads. Default: true. */
  readonly needsLease?: boolean;
  /** Later groups of the manager wait for it before they start. */
  readonly started?: Promise<unknown>;
}

/** Starts and stops runnables together. */
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

  /** Runs with the group: at once when it has started, never when it has stopped. */
  add(runnable: ManagedRunnable): void {
    if (this.#waiting !== undefined) this.#waiting.push(runnable);
    else this.#begin(runnable);
  }

  /** Resolves once all `started` promises have settled, with true when none was rejected. Failures go to `onFailure`. */
  async start(): Promise<boolean> {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const runnable of waiting) this.#begin(runnable);
    const settled = await Promise.allSettled(waiting.map(({ started }) => started));
    return settled.every(({ status }) => status === 'fulfilled');
  }

  /** Aborts all, without waiting. */
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
      // An error after the abort is not a failure.
      if (!this.#stop.signal.aborted) this.#onFailure(error);
    }
  }
}
