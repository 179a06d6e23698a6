import { type Clock, systemRandom } from '@pintle/async';
import type { CachedClient, Client, WorkQueue } from '@pintle/client';
import type { Scope } from '@pintle/machinery';
import type { ControllerDependencies, Log } from './controller.ts';
import type { Reason } from './reason.ts';
import type { Request, RequestOf, Result } from './request.ts';
import { ScopedLog } from './scoped-log.ts';

/** What a reconcile is given besides its request. */
export interface ReconcileScope<S extends Scope = Scope> {
  readonly request: RequestOf<S>;
  /** Reads from caches, and reads what it wrote. */
  readonly client: CachedClient;
  /** Reads from the server. */
  readonly live: Client;
  readonly clock: Clock;
  /** Carries the controller, the object and the reconcile's id. */
  readonly log: Log;
  /** Aborts when the time of this reconcile is over, or the controller stops. */
  readonly signal: AbortSignal;
  /** How often the last reconciles of this object failed in a row. */
  readonly failures: number;
  /** What happened since the last reconcile of this object; the first few. */
  readonly reasons: readonly Reason[];
  readonly reconcileId: string;
  /** Look again after so long, whatever happens before. The soonest of several counts. */
  requeue(afterMs: number): void;
}

/** Most reconciles have nothing to do, so whatever costs something is made when it is first asked for. */
export class RequestScope implements ReconcileScope {
  readonly request: Request;
  readonly signal: AbortSignal;
  /** Aborts when the controller stops, not when the time is over. */
  readonly stop: AbortSignal;
  readonly controller: string;
  readonly dependencies: ControllerDependencies;
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
  ) {
    this.dependencies = dependencies;
    this.controller = controller;
    this.request = request;
    this.#noted = reasons;
    this.#queue = queue;
    this.signal = signal;
    this.stop = stop;
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

  /** What comes next: the sooner of what the reconcile gave and what it asked for on its way. */
  resultWith(given: Result | undefined): Result | undefined {
    const asked = this.#requeueAfterMs;
    if (asked === undefined) return given;
    return { ...given, requeueAfterMs: Math.min(asked, given?.requeueAfterMs ?? asked) };
  }
}

const RETRIED: readonly Reason[] = [{ cause: 'retried' }];
const REQUEUED: readonly Reason[] = [{ cause: 'requeued' }];
