import { setMaxListeners } from 'node:events';
import {
  type Clock,
  onAbort,
  onceAborted,
  type Random,
  type Runnable,
  runAll,
  Turns,
  yieldToEventLoop,
} from '@pintle/async';
import {
  type AddOptions,
  type CachedClient,
  type EventRecorder,
  type RateLimiter,
  type SharedInformers,
  type WorkItem,
  WorkQueue,
} from '@pintle/client';
import type { KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import { errorText, isConflict, isShardFenced } from '@pintle/machinery/errors';
import { OperatorError } from '../errors.ts';
import { beginRecording } from '../telemetry/recording.ts';
import type { MapToRequests } from './change-mapper.ts';
import { errorFields, LoggedStacks } from './error-fields.ts';
import { type ExternalSource, externalSource } from './external-source.ts';
import { KindSource, type WatchOptions } from './kind-source.ts';
import { type FinishedReconcile, isPanic, type ReconcileObserver } from './observer.ts';
import { type Reason, Reasons } from './reason.ts';
import { type ReconcileScope, RequestScope } from './reconcile-scope.ts';
import {
  checkedResult,
  type Request,
  type RequestOf,
  type Result,
  requestKey,
  requestOf,
  TerminalError,
} from './request.ts';
import { ScopedLog } from './scoped-log.ts';
import type { OpenSource, Source, SourceSink } from './source.ts';

export type { MapContext, MapToRequests } from './change-mapper.ts';
export type { ReconcileScope } from './reconcile-scope.ts';

/** Dependencies of a controller. They are first used when the controller runs. */
export interface ControllerDependencies {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly clock: Clock;
  readonly log: Log;
  /** Generates the reconcile ids in logs. */
  readonly random?: Random;
  /** Default: each controller records events under its own name. */
  readonly events?: Pick<EventRecorder, 'record'>;
  /** Default of `syncTimeoutMs` in the options of controllers. */
  readonly syncTimeoutMs?: number | undefined;
  /** Returns an observer for a controller with these options. */
  observe?(options: ControllerOptions): ReconcileObserver;
  /** Objects that this process owns, when several share them. Default: all. */
  readonly shards?: ShardGate | undefined;
  /** Declares verbs that a controller will use on a kind or its subresource, for RBAC. */
  declare?(type: ResourceType, verbs: readonly string[], subresource?: string): void;
}

/** Admits reconciles of the objects that this process owns. */
export interface ShardGate {
  readonly kinds: { note(type: ResourceType, role: 'main' | 'owned' | 'watched'): void };
  /**
   * Returns `undefined` for an object of another process, and `later` while this process takes its slot over. `isOwed`: also
   * while the slot is handed over.
   */
  enter(type: ResourceType, request: Request, isOwed?: boolean): ShardTenure | 'later' | undefined;
  leave(tenure: ShardTenure): void;
  /** Called when the server refused a write because another process owns the object. */
  fenced(): void;
}

/** Right to reconcile the objects of a slot. */
export interface ShardTenure {
  readonly slot: number;
  readonly epoch: number;
  /** Returns a signal that aborts with `stop`, or when another process owns the slot. */
  signalWith(stop: AbortSignal): AbortSignal;
  /** Returns dependencies whose writes the server refuses when another process owns the slot. */
  scoped(dependencies: ControllerDependencies): ControllerDependencies;
}

/** Structured log: constant message, variables as fields. */
export interface Log {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  /** `undefined` when the level is not enabled: `log.debug?.('Looked it up', { name })`. */
  readonly debug?: ((message: string, fields?: object) => void) | undefined;
}

export interface ControllerOptions {
  /** Unique in the process: used in metrics and logs, and as field manager. */
  readonly name: string;
  /** Objects that are reconciled at a time. Default: 1. */
  readonly concurrency?: number;
  readonly limiter?: RateLimiter<unknown>;
  /** Time after which a reconcile is aborted, and fails. Default: none. */
  readonly timeoutMs?: number;
  /**
   * Time that the caches have to sync at the start; then the controller, and with it the manager, fails. `Infinity` waits as
   * long as it takes, and warns every 2 minutes. Default: that of the manager.
   */
  readonly syncTimeoutMs?: number;
  /** True waits for the main kind when the server does not serve it. */
  readonly isOptional?: boolean;
  /** True ends the controller and its manager after a TypeError or the like. Default: counts it and retries. */
  readonly isPanicFatal?: boolean;
  /** Groups of objects take turns: a busy namespace does not delay the others. */
  readonly groupOf?: (request: Request) => string;
  readonly maxActivePerGroup?: number;
}

export type ReconcileRequest<S extends Scope = Scope> = (
  request: RequestOf<S>,
  scope: ReconcileScope<S>,
) => Promise<Result | undefined | void>;

/** Handle of a source; disposing of it removes the source. */
export interface AddedSource extends Disposable {
  readonly synced: Promise<void>;
}

const QUIET_CONFLICTS = 5;
const SYNC_TIMEOUT_MS = 120_000;
/** Time after which workers yield to the event loop. */
const LONG_MS = 10;

/**
 * Reconciles objects. Sources put requests into a queue, and workers take them, never the same object twice at a time. A
 * reconcile that fails is retried with a growing delay.
 */
export class Controller implements Runnable {
  readonly name: string;
  readonly queue: WorkQueue<Request>;
  readonly #dependencies: ControllerDependencies;
  readonly #options: ControllerOptions;
  readonly #reconcile: ReconcileRequest;
  readonly #observer: ReconcileObserver;
  readonly #reasons = new Reasons();
  /** Requests for objects whose slots this process takes over, by key. */
  readonly #later = new Map<string, Pick<WorkItem<Request>, 'item' | 'priority'>>();
  /** Keys of requests to be done before their slots are handed over. */
  readonly #owed = new Set<string>();
  #loggedStacks: LoggedStacks | undefined;
  readonly #sources: Source[] = [];
  #main: KindSource<KubernetesObject> | undefined;
  #open: Map<Source, OpenSource> | undefined;
  /**
   * Reconciles that never wait would block the event loop. Workers yield together: those that do the same at the same time
   * have their requests answered together, which takes less than half as long.
   */
  readonly #turns: Turns;

  constructor(dependencies: ControllerDependencies, options: ControllerOptions, reconcile: ReconcileRequest) {
    this.name = options.name;
    this.#dependencies = dependencies;
    this.#options = options;
    this.#reconcile = reconcile;
    this.#observer = dependencies.observe?.(options) ?? {};
    this.#turns = new Turns(dependencies.clock, { longMs: LONG_MS, turn: yieldToEventLoop });
    const { limiter, groupOf, maxActivePerGroup } = options;
    this.queue = new WorkQueue({
      clock: dependencies.clock,
      keyOf: requestKey,
      ...(limiter && { limiter }),
      ...(groupOf && { groupOf }),
      ...(maxActivePerGroup !== undefined && { maxActivePerGroup }),
      ...(this.#observer.queue && { observer: this.#observer.queue }),
    });
  }

  /** Enqueues what `map` returns for every change of the kind that passes the predicates. */
  watch<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    map?: MapToRequests<T, S>,
    options: WatchOptions<T, S> = {},
  ): this {
    const source = new KindSource(type, map as MapToRequests<T>, options as WatchOptions<T>);
    if (options.informers === undefined) this.#dependencies.declare?.(type, ['list', 'watch']);
    if (map === undefined) this.#main ??= source as unknown as KindSource<KubernetesObject>;
    this.addSource(source);
    return this;
  }

  /** Watches while the controller runs, until the result is disposed of. The server must serve the kind. */
  watchNow<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    map: MapToRequests<T, S>,
    options: Omit<WatchOptions<T, S>, 'isOptional'> = {},
  ): AddedSource {
    this.#dependencies.declare?.(type, ['list', 'watch']);
    return this.addSource(new KindSource(type, map as MapToRequests<T>, options as WatchOptions<T>));
  }

  watchExternal(source: ExternalSource): this {
    this.addSource(externalSource(source));
    return this;
  }

  /** May be called while the controller runs, unless the source has a `run`. Dispose of the result to remove the source. */
  addSource(source: Source): AddedSource {
    this.#sources.push(source);
    const open = this.#open && source.open(this.#sink());
    if (open !== undefined) this.#open!.set(source, open);
    const remove = (): void => {
      const index = this.#sources.indexOf(source);
      if (index >= 0) this.#sources.splice(index, 1);
      this.#open?.get(source)?.[Symbol.dispose]();
      this.#open?.delete(source);
    };
    return { synced: open?.synced ?? Promise.resolve(), [Symbol.dispose]: remove };
  }

  /** True when it reconciles the objects of a kind, which processes can share. */
  get hasMain(): boolean {
    return this.#main !== undefined;
  }

  /**
   * Enqueues the main objects that `isIncluded` accepts and no predicate refuses, as when they were listed first, and the
   * requests that came too early.
   */
  enqueueInitial(isIncluded: (object: KubernetesObject) => boolean): void {
    const enqueue: SourceSink['enqueue'] = (request, reason, options) => this.#enqueue(request, reason, options);
    this.#main?.enqueueInitial({ enqueue }, (object) => isIncluded(object as unknown as KubernetesObject));
    const early = [...this.#later.values()];
    this.#later.clear();
    for (const { item, priority } of early) this.queue.add(item, { priority });
  }

  /**
   * Returns the main objects with requests that only this process has: a predicate refuses them as listed objects, so that
   * their next owner does not enqueue them. These requests are done while their slots are handed over.
   */
  owedObjects(isIncluded: (object: KubernetesObject) => boolean): KubernetesObject[] {
    const main = this.#main;
    if (main === undefined || !main.isSelective) return [];
    const owed: KubernetesObject[] = [];
    for (const { item, state } of this.queue.items(Number.POSITIVE_INFINITY)) {
      const object = main.find(item) as unknown as KubernetesObject | undefined;
      if (object === undefined || !isIncluded(object) || main.acceptsInitial(object as never)) continue;
      if (state === 'active' || (state === 'delayed' && this.queue.failures(item) === 0)) continue;
      this.#owed.add(requestKey(item));
      owed.push(object);
      if (state === 'delayed') this.queue.add(item);
    }
    return owed;
  }

  /** Number of changes that are not in the queue yet, because an asynchronous map is pending. */
  get mapping(): number {
    return this.#sources.reduce((sum, { mapping = 0 }) => sum + mapping, 0);
  }

  /** Enqueues an object. */
  enqueue(request: Request, options?: AddOptions & { readonly reason?: Reason }): void {
    this.#enqueue(request, options?.reason ?? { cause: 'external' }, options);
  }

  /**
   * Opens the sources, so that the queue and the caches are filled before the controller works: for standbys that wait for
   * the lease. Otherwise `run` does it.
   */
  warm(): void {
    this.#openSources();
  }

  /** Shares the informers, waits until they are synced, then works until `signal` aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const open = this.#openSources();
    const running = [...open.values()].filter(({ run }) => run !== undefined);
    const work = { run: ({ signal }: { readonly signal: AbortSignal }) => this.#workAll(signal) };
    try {
      await runAll([work, ...(running as Required<OpenSource>[])], { signal });
    } finally {
      this.queue.close();
      for (const source of open.values()) source[Symbol.dispose]();
      this.#open = undefined;
    }
  }

  #openSources(): Map<Source, OpenSource> {
    if (this.#open !== undefined) return this.#open;
    this.#open = new Map();
    const sink = this.#sink();
    for (const source of this.#sources) this.#open.set(source, source.open(sink));
    return this.#open;
  }

  #sink(): SourceSink {
    const { client, informers, clock, log } = this.#dependencies;
    return {
      client,
      informers,
      clock,
      log: new ScopedLog(log, () => ({ controller: this.name })),
      enqueue: (request, reason, options) => this.#enqueue(request, reason, options),
      enqueueAll: (reason) => {
        for (const object of this.#main?.objects() ?? []) this.#enqueue(requestOf(object), reason);
      },
    };
  }

  #enqueue(request: Request, reason: Reason, options?: AddOptions): void {
    this.#reasons.note(requestKey(request), reason);
    this.queue.add(request, options);
  }

  async #workAll(signal: AbortSignal): Promise<void> {
    using _closing = onAbort(signal, () => this.queue.close());
    await this.#untilSynced(signal);
    const worker = { run: ({ signal }: { readonly signal: AbortSignal }) => this.#work(signal) };
    await runAll(
      Array.from({ length: this.#options.concurrency ?? 1 }, () => worker),
      { signal },
    );
  }

  async #untilSynced(signal: AbortSignal): Promise<void> {
    const { syncTimeoutMs: timeoutMs = this.#dependencies.syncTimeoutMs ?? SYNC_TIMEOUT_MS } = this.#options;
    const waiting = new Map<OpenSource, string>();
    const sources = [...this.#openSources()].map(async ([{ what }, source]) => {
      waiting.set(source, what);
      await source.synced;
      waiting.delete(source);
    });
    const synced = Promise.race([Promise.all(sources), onceAborted(signal)]);
    const isPatient = timeoutMs === Number.POSITIVE_INFINITY;
    while (!(await this.#isWithin(isPatient ? SYNC_TIMEOUT_MS : timeoutMs, synced))) {
      const kinds = [...waiting].map(([{ lastError }, kind]) => ({
        kind,
        ...(lastError !== undefined && { error: errorText(lastError) }),
      }));
      if (!isPatient) throw new OperatorError({ code: 'NotSynced', controller: this.name, kinds, timeoutMs });
      this.#dependencies.log.warn('Waiting for the first list', { controller: this.name, kinds });
    }
  }

  async #isWithin(timeoutMs: number, done: Promise<unknown>): Promise<boolean> {
    const late = new AbortController();
    using _timer = this.#dependencies.clock.setTimer(timeoutMs, () => late.abort());
    await Promise.race([done, onceAborted(late.signal)]);
    return !late.signal.aborted;
  }

  async #work(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    for (;;) {
      const work = this.queue.takeNow() ?? (await this.queue.take());
      if (work === undefined) return;
      try {
        if (signal.aborted) return;
        await this.#handle(work, signal);
      } finally {
        work.done();
      }
      const turn = this.#turns.next();
      if (turn !== undefined) await turn;
    }
  }

  async #handle(work: WorkItem<Request>, stop: AbortSignal): Promise<void> {
    const { shards } = this.#dependencies;
    if (shards === undefined || this.#main === undefined) return this.#handleOwn(work, stop);
    const key = work.key as string;
    const tenure = shards.enter(this.#main.type, work.item, this.#owed.delete(key));
    if (tenure === 'later') {
      this.#later.set(key, { item: work.item, priority: work.priority });
      return;
    }
    // Its owner has the request too.
    if (tenure === undefined) {
      this.#reasons.take(key);
      return this.queue.forget(work.item);
    }
    try {
      await this.#handleOwn(work, stop, tenure);
    } finally {
      shards.leave(tenure);
    }
  }

  async #handleOwn(
    { item: request, key, priority }: WorkItem<Request>,
    shutdown: AbortSignal,
    tenure?: ShardTenure,
  ): Promise<void> {
    const dependencies = tenure?.scoped(this.#dependencies) ?? this.#dependencies;
    const stop = tenure === undefined ? shutdown : tenure.signalWith(shutdown);
    const deadline = this.#options.timeoutMs === undefined ? undefined : this.#deadline(stop);
    const scope = new RequestScope(
      dependencies,
      this.name,
      request,
      this.#reasons.take(key as string),
      this.queue,
      deadline?.signal ?? stop,
      stop,
      tenure,
    );
    const startedMs = this.#observer.finished || dependencies.log.debug ? dependencies.clock.monotonic() : 0;
    const recording = beginRecording(() => ({
      clock: dependencies.clock,
      controller: this,
      request,
      reasons: scope.reasons,
      failures: scope.failures,
    }));
    this.#observer.started?.(request);
    let result: Result | undefined;
    let failure: { readonly error: unknown } | undefined;
    try {
      const attempt = () => this.#attempt(request, scope);
      const given = (await (recording === undefined ? attempt() : recording.run(attempt))) ?? undefined;
      result = checkedResult(scope.resultWith(given));
    } catch (error) {
      failure = { error: deadline?.hasElapsed === true ? this.#timedOut(error) : error };
    }
    deadline?.[Symbol.dispose]();
    const finished = finishedWith(result, failure, dependencies.clock.monotonic() - startedMs);
    this.#observer.finished?.(request, finished);
    recording?.finish(finished, result);
    if (failure !== undefined) return this.#fail(request, failure.error, priority, scope, stop);
    if (dependencies.log.debug !== undefined)
      this.#logSuccess(scope, result, dependencies.clock.monotonic() - startedMs);
    this.#succeed(request, result, priority);
  }

  #attempt(request: Request, scope: RequestScope): Promise<Result | undefined | void> {
    if (this.#observer.around === undefined) return this.#reconcile(request, scope);
    return this.#observer.around(request, () => this.#reconcile(request, scope));
  }

  #logSuccess(scope: RequestScope, result: Result | undefined, durationMs: number): void {
    scope.log.debug?.('Reconciled', { ...result, durationMs: Math.round(durationMs), reasons: scope.reasons });
  }

  #succeed(request: Request, result: Result | undefined, currentPriority: number): void {
    this.queue.forget(request);
    if (result?.requeueAfterMs === undefined) return;
    const { requeueAfterMs: afterMs, priority = currentPriority } = result;
    this.queue.add(request, { afterMs, priority });
  }

  #fail(request: Request, error: unknown, priority: number, scope: RequestScope, stop: AbortSignal): void {
    if (isShardFenced(error)) {
      this.queue.forget(request);
      this.#dependencies.shards?.fenced();
      return;
    }
    if (stop.aborted) return;
    if (this.#options.isPanicFatal && isPanic(error)) throw error;
    if (error instanceof TerminalError) {
      this.queue.forget(request);
      scope.log.error('Reconcile failed; not retrying', errorFields(error));
      return;
    }
    const retryAfterMs = this.queue.retry(request, { priority });
    // Conflicts with other writers are normal; only repeated ones are logged.
    if (isConflict(error) && this.queue.failures(request) < QUIET_CONFLICTS) return;
    this.#loggedStacks ??= new LoggedStacks(this.#dependencies.clock);
    scope.log.warn('Failed to reconcile', { ...this.#loggedStacks.shorten(errorFields(error)), retryAfterMs });
  }

  #deadline(stop: AbortSignal): Deadline {
    return new Deadline(this.#dependencies.clock, this.#options.timeoutMs!, stop, this.name);
  }

  /** Wraps the error of a reconcile after its timeout, which mostly is that its signal aborted. */
  #timedOut(error: unknown): unknown {
    if (error instanceof OperatorError && error.failure.code === 'TimedOut') return error;
    const timeoutMs = this.#options.timeoutMs ?? 0;
    return new OperatorError({ code: 'TimedOut', controller: this.name, timeoutMs }, { cause: error });
  }
}

/** Timeout of one reconcile. Its signal aborts after the timeout, or when the controller stops. */
class Deadline implements Disposable {
  readonly #abort = new AbortController();
  readonly #timer: Disposable;
  readonly #stop: Disposable;
  hasElapsed = false;

  constructor(clock: Clock, timeoutMs: number, stop: AbortSignal, controller: string) {
    this.#timer = clock.setTimer(timeoutMs, () => {
      this.hasElapsed = true;
      this.#abort.abort(new OperatorError({ code: 'TimedOut', controller, timeoutMs }));
    });
    this.#stop = onAbort(stop, (reason) => this.#abort.abort(reason));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#stop[Symbol.dispose]();
  }
}

function finishedWith(
  result: Result | undefined,
  failure: { readonly error: unknown } | undefined,
  durationMs: number,
): FinishedReconcile {
  if (failure !== undefined)
    return { outcome: 'error', durationMs, error: failure.error, isPanic: isPanic(failure.error) };
  return { outcome: result?.requeueAfterMs !== undefined ? 'requeue_after' : 'success', durationMs };
}
