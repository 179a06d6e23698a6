import { type Clock, systemRandom } from '@pintle/async';
import type { CachedClient, Client, WorkQueue } from '@pintle/client';
import type { Scope } from '@pintle/machinery';
import type { ControllerDependencies, Log } from './controller.ts';
import type { Reason } from './reason.ts';
import type { Request, RequestOf, Result } from './request.ts';
import { ScopedLog } from './scoped-log.ts';

/** Context of a reconcile of requests. */
export interface ReconcileScope<S extends Scope = Scope> {
  readonly request: RequestOf<S>;
  /** Reads from caches, including its own writes. */
  readonly client: CachedClient;
  /** Reads from the server. */
  readonly live: Client;
  readonly clock: Clock;
  /** Adds the controller, the object and the reconcile id to each line. */
  readonly log: Log;
  /** Aborts after the timeout of this reconcile, or when the controller stops. */
  readonly signal: AbortSignal;
  /** Consecutive failed reconciles of this object. */
  readonly failures: number;
  /** First 16 reasons since the last reconcile of this object. */
  readonly reasons: readonly Reason[];
  readonly reconcileId: string;
  /** Slot of the object and its epoch; `undefined` without sharding. */
  readonly shard: { readonly slot: number; readonly epoch: number } | undefined;
  /** Reconciles again after this time, also when changes trigger it before. The soonest of several calls counts. */
  requeue(afterMs: number): void;
}

/** Creates costly values on first use, because most reconciles have nothing to do. */
export class RequestScope implements ReconcileScope {
  readonly request: Request;
  readonly signal: AbortSignal;
  /** Aborts when the controller stops, not after the timeout. */
  readonly stop: AbortSignal;
  readonly controller: string;
  readonly dependencies: ControllerDependencies;
  readonly shard: ReconcileScope['shard'];
  readonly #noted: readonly Reason[];
  readonly #queue: Pick<WorkQueue<Request>, 'failures'>;
  #log: Log | undefined;
  #id: string | undefined;
  #requeueAfterMs: number | undefined;

  constructor(
    dependencies: ControllerDependencies,
    controller: string,
    request: Request,
    reasons: readonly Reason[],
    queue: Pick<WorkQueue<Request>, 'failures'>,
    signal: AbortSignal,
    stop: AbortSignal,
    shard?: ReconcileScope['shard'],
  ) {
    this.dependencies = dependencies;
    this.controller = controller;
    this.request = request;
    this.#noted = reasons;
    this.#queue = queue;
    this.signal = signal;
    this.stop = stop;
    this.shard = shard && { slot: shard.slot, epoch: shard.epoch };
  }

  get client(): CachedClient {
    return this.dependencies.client;
  }

  get live(): Client {
    return this.dependencies.client.live;
  }

  get clock(): Clock {
    return this.dependencies.clock;
  }

  get failures(): number {
    return this.#queue.failures(this.request);
  }

  get reasons(): readonly Reason[] {
    if (this.#noted.length > 0) return this.#noted;
    return this.failures > 0 ? RETRIED : REQUEUED;
  }

  get reconcileId(): string {
    this.#id ??= (this.dependencies.random ?? systemRandom).uuid();
    return this.#id;
  }

  get log(): Log {
    this.#log ??= new ScopedLog(this.dependencies.log, () => ({
      controller: this.controller,
      ...this.request,
      reconcileId: this.reconcileId,
    }));
    return this.#log;
  }

  requeue(afterMs: number): void {
    this.#requeueAfterMs = Math.min(afterMs, this.#requeueAfterMs ?? afterMs);
  }

  /** Returns the result with the sooner of its own requeue and that of `requeue` calls. */
  resultWith(given: Result | undefined): Result | undefined {
    const asked = this.#requeueAfterMs;
    if (asked === undefined) return given;
    return { ...given, requeueAfterMs: Math.min(asked, given?.requeueAfterMs ?? asked) };
  }
}

const RETRIED: readonly Reason[] = [{ cause: 'retried' }];
const REQUEUED: readonly Reason[] = [{ cause: 'requeued' }];
