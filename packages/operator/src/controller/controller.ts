import type { Clock, Random, Runnable } from '@pintle/async';
import { runAll, systemRandom } from '@pintle/async';
import type { CachedClient, RateLimiter, SharedInformer, SharedInformers, Sharing } from '@pintle/client';
import { WorkQueue } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isConflict } from '@pintle/machinery/errors';
import type { Outcome, ReconcileObserver } from './observer.ts';
import type { Change, Predicate } from './predicate.ts';
import type { Request } from './request.ts';
import { requestKey, requestOf } from './request.ts';
import type { Result } from './result.ts';
import { TerminalError } from './result.ts';
import { ScopedLog } from './scoped-log.ts';

/** What a controller is built on. */
export interface ControllerGround {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: Random;
  /** Who hears what a controller with these options does. */
  observe?(options: ControllerOptions): ReconcileObserver;
  /** A controller will do this with objects of the kind: what it must be allowed to. */
  declare?(type: ResourceType, verbs: readonly string[]): void;
}

/** A structured log: constant message, variables as fields. */
export interface Log {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export interface ControllerOptions {
  /** Unique in the process: metrics and logs carry it. */
  readonly name: string;
  /** How many objects are looked after at a time. Default 1. */
  readonly concurrency?: number;
  readonly limiter?: RateLimiter<unknown>;
  /** A reconcile that takes longer is aborted. Default: never. */
  readonly timeoutMs?: number;
}

/** What a reconcile is given besides its object. */
export interface ReconcileScope {
  readonly request: Request;
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** How often the last reconciles of this object failed in a row. */
  readonly failures: number;
}

export type ReconcileRequest = (request: Request, scope: ReconcileScope) => Promise<Result | undefined | void>;

/** Gives the objects that a change of another one concerns. */
export type MapToRequests<T extends KubernetesObject> = (object: T) => Iterable<Request>;

const QUIET_CONFLICTS = 5;
/** Changes initially listed come after those that happen now. */
const INITIAL_PRIORITY = -100;

/**
 * Looks after objects: whatever changes puts the request of an object into a queue, and workers take requests from it,
 * never the same one twice at a time. A reconcile that fails comes again, later each time.
 */
export class Controller implements Runnable {
  readonly name: string;
  readonly queue: WorkQueue<Request>;
  readonly #ground: ControllerGround;
  readonly #options: ControllerOptions;
  readonly #reconcile: ReconcileRequest;
  readonly #observer: ReconcileObserver;
  readonly #sources: ((controller: Controller) => SharedInformer<KubernetesObject>[])[] = [];
  #shares: SharedInformer<KubernetesObject>[] | undefined;

  constructor(ground: ControllerGround, options: ControllerOptions, reconcile: ReconcileRequest) {
    this.name = options.name;
    this.#ground = ground;
    this.#options = options;
    this.#reconcile = reconcile;
    this.#observer = ground.observe?.(options) ?? {};
    const { limiter } = options;
    const { queue: observer } = this.#observer;
    this.queue = new WorkQueue({
      clock: ground.clock,
      keyOf: requestKey,
      ...(limiter && { limiter }),
      ...(observer && { observer }),
    });
  }

  /** Every change of the kind that passes the predicates puts what `map` makes of it into the queue. */
  watch<T extends KubernetesObject>(
    type: ResourceType<T>,
    map: MapToRequests<T> = (object) => [requestOf(object)],
    { predicates = [], sharing }: { readonly predicates?: readonly Predicate<T>[]; readonly sharing?: Sharing<T> } = {},
  ): this {
    this.#ground.declare?.(type, ['list', 'watch']);
    this.#sources.push(() => {
      const shares = this.#ground.informers.shareEach(type, sharing);
      const take = (change: Change<T>): void => {
        if (predicates.every((predicate) => predicate(change))) this.#enqueue(change, map);
      };
      for (const { informer } of shares) {
        informer.subscribe({
          added: (object, { isInitial }) => take({ type: 'added', object, isInitial }),
          updated: (object, previous) => take({ type: 'updated', object, previous }),
          deleted: (object) => take({ type: 'deleted', object }),
        });
      }
      return shares as unknown as SharedInformer<KubernetesObject>[];
    });
    return this;
  }

  /**
   * Listens to what it watches, so that its queue and the caches are filled before it may work: for those who wait for
   * a lease. `run` does it otherwise.
   */
  warm(): void {
    this.#shares ??= this.#sources.flatMap((open) => open(this));
  }

  /** Waits until the informers know everything, then works until told to stop. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.warm();
    const shares = this.#shares ?? [];
    const onAbort = (): void => this.queue.close();
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    try {
      await untilAborted(Promise.all(shares.map(({ informer }) => informer.synced)), signal);
      const worker = { run: ({ signal: stop }: { readonly signal: AbortSignal }) => this.#work(stop) };
      await runAll(
        Array.from({ length: this.#options.concurrency ?? 1 }, () => worker),
        { signal },
      );
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.queue.close();
      for (const share of shares) share[Symbol.dispose]();
    }
  }

  #enqueue<T extends KubernetesObject>(change: Change<T>, map: MapToRequests<T>): void {
    const isOld = change.type === 'added' && change.isInitial;
    const options = isOld ? { priority: INITIAL_PRIORITY } : {};
    for (const request of map(change.object)) this.queue.add(request, options);
    if (change.type === 'updated' && change.object !== change.previous)
      for (const request of map(change.previous)) this.queue.add(request, options);
  }

  async #work(signal: AbortSignal): Promise<void> {
    for await (const request of this.queue) {
      if (signal.aborted) return;
      await this.#handle(request, signal);
    }
  }

  async #handle(request: Request, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#ground;
    const log = new ScopedLog(this.#ground.log, () => this.#describe(request));
    const scope = { request, client, clock, log, signal, failures: this.queue.failures(request) };
    const startedMs = clock.monotonic();
    const end = (outcome: Outcome, error?: unknown): void =>
      this.#observer.finished?.(request, { outcome, error, durationMs: clock.monotonic() - startedMs });
    this.#observer.started?.(request);
    try {
      const result = (await this.#attempt(request, scope)) ?? {};
      this.queue.forget(request);
      const { requeueAfterMs, priority } = result;
      if (requeueAfterMs !== undefined)
        this.queue.add(request, { afterMs: requeueAfterMs, ...(priority !== undefined && { priority }) });
      end(requeueAfterMs === undefined ? 'success' : 'requeue_after');
    } catch (error) {
      end('error', error);
      if (signal.aborted) return;
      this.#fail(request, error, log);
    }
  }

  #attempt(request: Request, scope: ReconcileScope): Promise<Result | undefined | void> {
    if (this.#observer.around === undefined) return this.#reconcile(request, scope);
    return this.#observer.around(request, () => this.#reconcile(request, scope));
  }

  #describe(request: Request): object {
    return { controller: this.name, ...request, reconcileId: (this.#ground.random ?? systemRandom).uuid() };
  }

  #fail(request: Request, error: unknown, log: Log): void {
    const fields = { error: error instanceof Error ? error.message : String(error) };
    if (error instanceof TerminalError) {
      this.queue.forget(request);
      log.error('Gave up', fields);
      return;
    }
    const afterMs = this.queue.retry(request);
    // Somebody else wrote first, which is how things go; only when it goes on is it worth a word.
    if (isConflict(error) && this.queue.failures(request) < QUIET_CONFLICTS) return;
    log.warn('Failed to reconcile', { ...fields, retryAfterMs: afterMs });
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([promise, aborted]);
}
