import type { Clock } from '@pintle/async';
import { deferred, onAbort, onceAborted } from '@pintle/async';
import type { LeaderElector } from '@pintle/client';
import { ClientError } from '@pintle/client';
import { OperatorError } from '../errors.ts';
import { RunnableGroup } from './runnable-group.ts';

interface LifeOptions {
  readonly clock: Clock;
  /** How long stopping may take. Negative: as long as it takes. */
  readonly graceMs: number;
  /** Fills the queues of controllers, once the caches run. */
  readonly warm: () => void;
  /** Endpoints and webhooks are served. */
  readonly onServing?: () => void;
  readonly onLeading: (isLeading: boolean) => void;
  /** What is to be done when everything has stopped. */
  readonly finish: () => Promise<void>;
}

export interface LifeSignals {
  /** Everything stops in order. */
  readonly signal: AbortSignal;
  /** Everything stops at once. */
  readonly kill?: AbortSignal | undefined;
}

/**
 * The order of a manager's life.
 *
 *     endpoints ► webhooks ► caches ► others ► lease ► leaders     start: conversion may be needed to fill caches
 *     others ► leaders ► caches ► webhooks ► endpoints ► lease     stop: nobody takes over before all is quiet
 *
 * Whatever fails stops the rest in the same order. A lost lease does not: another may lead already, so everything is
 * told to stop at once and nothing is waited for. The same holds for a manager that is killed.
 */
export class Life {
  readonly endpoints: RunnableGroup;
  readonly webhooks: RunnableGroup;
  readonly caches: RunnableGroup;
  readonly others: RunnableGroup;
  readonly leaders: RunnableGroup;
  readonly #options: LifeOptions;
  readonly #failed = deferred<never>();
  readonly #electing = new AbortController();
  readonly #released = deferred();
  #elected: Promise<void> | undefined;
  #isLeading = false;

  constructor(options: LifeOptions) {
    this.#options = options;
    const group = (name: string): RunnableGroup => new RunnableGroup(name, (error) => this.#failed.reject(error));
    this.endpoints = group('endpoints');
    this.webhooks = group('webhooks');
    this.caches = group('caches');
    this.others = group('runnables');
    this.leaders = group('controllers');
    this.#failed.promise.catch(() => undefined);
  }

  /** Without an elector there is nobody to wait for. */
  async run(elector: LeaderElector | undefined, { signal, kill }: LifeSignals): Promise<void> {
    using _killed = onAbort(kill, (reason) => this.#abort(reason));
    let failure: { readonly cause: unknown } | undefined;
    try {
      await Promise.race([onceAborted(signal), this.#failed.promise, this.#live(elector, signal)]);
    } catch (cause) {
      if (isLeaseLost(cause)) return this.#abandon(cause);
      failure = { cause };
    }
    await this.#stopInTime();
    if (failure !== undefined) throw failure.cause;
  }

  async #live(elector: LeaderElector | undefined, signal: AbortSignal): Promise<void> {
    for (const group of [this.endpoints, this.webhooks, this.caches]) {
      if (signal.aborted) return;
      await group.start();
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

  /** Tells everything to stop, without waiting for any of it. */
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
