import type { Clock } from '@pintle/async';
import { deferred, onAbort, onceAborted } from '@pintle/async';
import type { LeaderElector } from '@pintle/client';
import { ClientError } from '@pintle/client';
import { OperatorError } from '../errors.ts';
import { RunnableGroup } from './runnable-group.ts';

interface LifecycleOptions {
  readonly clock: Clock;
  /** Grace period for stopping. Negative: unlimited. */
  readonly graceMs: number;
  /** Fills the queues of controllers once the caches run. */
  readonly warm: () => void;
  /** Called when endpoints and webhooks are served. */
  readonly onServing?: () => void;
  readonly onLeading: (isLeading: boolean) => void;
  /** Called when everything has stopped. */
  readonly finish: () => Promise<void>;
}

export interface LifecycleSignals {
  /** Stops everything in order. */
  readonly signal: AbortSignal;
  /** Stops everything at once. */
  readonly kill?: AbortSignal | undefined;
}

/**
 * Starts and stops the parts of a manager in order.
 *
 *     endpoints ► webhooks ► caches ► others ► lease ► leaders     start: filling caches may need conversion webhooks
 *     others ► leaders ► caches ► webhooks ► endpoints ► lease     stop: no other process leads before all has stopped
 *
 * A failure stops the rest in the same order. After a lost lease another process may lead already, so everything is aborted
 * at once, without waiting. The same holds for `kill`.
 */
export class Lifecycle {
  readonly endpoints: RunnableGroup;
  readonly webhooks: RunnableGroup;
  readonly caches: RunnableGroup;
  readonly others: RunnableGroup;
  readonly leaders: RunnableGroup;
  readonly #options: LifecycleOptions;
  readonly #failed = deferred<never>();
  readonly #electing = new AbortController();
  readonly #released = deferred();
  #elected: Promise<void> | undefined;
  #isLeading = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    const group = (name: string): RunnableGroup => new RunnableGroup(name, (error) => this.#failed.reject(error));
    this.endpoints = group('endpoints');
    this.webhooks = group('webhooks');
    this.caches = group('caches');
    this.others = group('runnables');
    this.leaders = group('controllers');
    this.#failed.promise.catch(() => undefined);
  }

  /** Without an elector, the leaders start at once. */
  async run(elector: LeaderElector | undefined, { signal, kill }: LifecycleSignals): Promise<void> {
    using _killed = onAbort(kill, (reason) => this.#abort(reason));
    let failure: { readonly cause: unknown } | undefined;
    try {
      await Promise.race([onceAborted(signal), this.#failed.promise, this.#start(elector, signal)]);
    } catch (cause) {
      if (isLeaseLost(cause)) return this.#abandon(cause);
      failure = { cause };
    }
    await this.#stopInTime();
    if (failure !== undefined) throw failure.cause;
  }

  async #start(elector: LeaderElector | undefined, signal: AbortSignal): Promise<void> {
    for (const group of [this.endpoints, this.webhooks, this.caches]) {
      if (signal.aborted) return;
      // A failure arrives once what failed has been cleaned up.
      if (!(await group.start())) await Promise.race([this.#failed.promise, onceAborted(signal)]);
      if (group === this.webhooks && !signal.aborted) this.#options.onServing?.();
    }
    if (signal.aborted) return;
    this.#options.warm();
    void this.others.start();
    if (elector !== undefined) await this.#compete(elector);
    else void this.leaders.start();
    await onceAborted(signal);
  }

  async #compete(elector: LeaderElector): Promise<void> {
    this.#elected = elector.run(({ signal }) => this.#lead(signal), { signal: this.#electing.signal });
    try {
      await this.#elected;
    } finally {
      this.#setLeading(false);
    }
  }

  /** Leads until everything has stopped, or the lease is lost. */
  async #lead(term: AbortSignal): Promise<void> {
    using _lost = onAbort(term, (reason) => this.leaders.abort(reason));
    this.#setLeading(true);
    void this.leaders.start();
    await Promise.race([this.#released.promise, onceAborted(term)]);
  }

  #setLeading(isLeading: boolean): void {
    if (this.#isLeading === isLeading) return;
    this.#isLeading = isLeading;
    this.#options.onLeading(isLeading);
  }

  #abandon(cause: ClientError): never {
    for (const group of this.#groups) group.abort(cause);
    throw cause;
  }

  /** Aborts everything, without waiting. */
  #abort(reason?: unknown): void {
    for (const group of this.#groups) group.abort(reason);
    this.#electing.abort(reason);
  }

  async #stopInTime(): Promise<void> {
    const { clock, graceMs } = this.#options;
    const stopping = this.#stopInOrder();
    if (graceMs < 0) return await stopping;
    const done = new AbortController();
    const tooLong = clock.sleep(graceMs, { signal: done.signal }).then(
      () => this.#giveUp(graceMs),
      () => undefined,
    );
    try {
      await Promise.race([stopping, tooLong]);
    } finally {
      done.abort();
    }
  }

  #giveUp(afterMs: number): void {
    const waitingFor = this.#groups.find(({ isRunning }) => isRunning)?.name ?? 'lease and events';
    this.#abort();
    if (afterMs === 0) return;
    throw new OperatorError({ code: 'GraceElapsed', afterMs, waitingFor });
  }

  async #stopInOrder(): Promise<void> {
    if (!this.#isLeading) this.#electing.abort();
    for (const group of this.#groups) await group.stop();
    this.#released.resolve();
    this.#electing.abort();
    await this.#elected?.catch(() => undefined);
    await this.#options.finish();
  }

  /** In the order of stopping. */
  get #groups(): readonly RunnableGroup[] {
    return [this.others, this.leaders, this.caches, this.webhooks, this.endpoints];
  }
}

function isLeaseLost(error: unknown): error is ClientError {
  return error instanceof ClientError && error.failure.code === 'LeaseLost';
}
