import type { Clock } from '@pintle/async';
import { deferred } from '@pintle/async';
import type { AddOptions, CachedClient, RefOf } from '@pintle/client';
import { WorkQueue } from '@pintle/client';
import type { Cached, KubernetesObject, Scope } from '@pintle/machinery';
import type { Reason } from './reason.ts';
import type { Request } from './request.ts';
import { requestKey, requestOf } from './request.ts';

/**
 * Maps a changed object to the requests to enqueue. May be asynchronous; should read from the cached client in its context.
 * When it fails, it is called again with a growing delay.
 */
export type MapToRequests<
  T extends KubernetesObject,
  S extends Scope = Scope,
  /** Scope of the requests. */
  M extends Scope = Scope,
> = (object: Cached<T, S>, context: MapContext) => Iterable<RefOf<M>> | Promise<Iterable<RefOf<M>>>;

/** Context of a map function. */
export interface MapContext {
  /** Reads from caches, where the kind is cached. */
  readonly client: CachedClient;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}

/** Change to map: the object as it is, and as it was when it was last mapped. */
interface ObjectChange<T extends KubernetesObject> {
  readonly states: readonly Cached<T>[];
  readonly reason: Reason;
  readonly options: AddOptions;
}

interface WaitingChange<T extends KubernetesObject> extends ObjectChange<T> {
  /** Pending result of the first call. */
  readonly pending?: Promise<Requests> | undefined;
}

type Requests = readonly Request[];

interface MapperDependencies<T extends KubernetesObject> {
  readonly map: MapToRequests<T>;
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly enqueue: (request: Request, reason: Reason, options: AddOptions) => void;
  /** Called when the map failed, with the delay before the next call. */
  readonly onError: (object: Request, error: unknown, retryAfterMs: number) => void;
}

/**
 * Turns changes of a kind's objects into requests. Enqueues synchronous results at once. Asynchronous maps run in the order
 * of the changes, one object at a time, with the object as it is by then and as it was when it was last mapped. So at most
 * one change per object waits, however often it changes.
 */
export class ChangeMapper<T extends KubernetesObject> implements Disposable {
  readonly #dependencies: MapperDependencies<T>;
  readonly #context: MapContext;
  readonly #stop = new AbortController();
  readonly #queue: WorkQueue<string>;
  /** By the key of the object. Always the objects that are in the queue and not yet taken. */
  readonly #waiting = new Map<string, WaitingChange<T>>();
  /** Objects whose changes are neither enqueued nor failed, by key, with callbacks for that. */
  readonly #unfinished = new Map<string, (() => void)[]>();
  /** Set once the map was asynchronous or failed: from then on objects take turns. */
  #worker: Promise<void> | undefined;

  constructor(dependencies: MapperDependencies<T>) {
    this.#dependencies = dependencies;
    this.#queue = new WorkQueue({ clock: dependencies.clock });
    this.#context = { client: dependencies.client, signal: this.#stop.signal };
  }

  /** Number of objects with changes that are being mapped or about to be. */
  get size(): number {
    const { ready, active } = this.#queue.stats();
    return ready + active;
  }

  take(change: ObjectChange<T>): void {
    const key = requestKey(requestOf(change.states[0]!));
    const earlier = this.#waiting.get(key);
    if (earlier !== undefined || this.#worker !== undefined) {
      this.#wait(key, earlier === undefined ? change : merged(earlier, change));
      return;
    }
    try {
      const requests = this.#map(change);
      if (!isPromise(requests)) this.#enqueue(change, requests);
      else this.#wait(key, { ...change, pending: requests });
    } catch (error) {
      this.#fail(key, change, error);
    }
  }

  /** Resolves once everything taken so far is enqueued or has failed. */
  async drained(): Promise<void> {
    const all = [...this.#unfinished.values()].map((callbacks) => {
      const finished = deferred();
      callbacks.push(() => finished.resolve());
      return finished.promise;
    });
    await Promise.all(all);
  }

  /** Drops pending results. */
  [Symbol.dispose](): void {
    this.#queue.close();
    this.#stop.abort(new Error('Cannot map a change: the controller is stopping'));
    this.#waiting.clear();
    for (const key of [...this.#unfinished.keys()]) this.#finish(key);
  }

  #wait(key: string, change: WaitingChange<T>): void {
    if (this.#stop.signal.aborted) return;
    const { priority = 0 } = change.options;
    this.#keep(key, change);
    this.#queue.add(key, { priority });
  }

  #keep(key: string, change: WaitingChange<T>): void {
    this.#waiting.set(key, change);
    if (!this.#unfinished.has(key)) this.#unfinished.set(key, []);
    this.#worker ??= this.#work();
  }

  /** Never rejects, and ends when the queue is closed. */
  async #work(): Promise<void> {
    for (let work = await this.#queue.take(); work !== undefined; work = await this.#queue.take()) {
      await this.#attempt(work.item);
      work.done();
    }
  }

  async #attempt(key: string): Promise<void> {
    const change = this.#waiting.get(key);
    if (change === undefined) return;
    this.#waiting.delete(key);
    try {
      const requests = await (change.pending ?? this.#map(change));
      if (this.#stop.signal.aborted) return;
      this.#enqueue(change, requests);
      this.#queue.forget(key);
      if (!this.#waiting.has(key)) this.#finish(key);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(key, change, error);
    }
  }

  /** Calls the map for each state. Iterates over the results here, because an iterator may throw. */
  #map({ states }: ObjectChange<T>): Requests | Promise<Requests> {
    const requests = states.map((state) => this.#dependencies.map(state, this.#context));
    const isSynchronous = requests.every((each) => !isPromise(each));
    return isSynchronous ? (requests as Iterable<Request>[]).flatMap((each) => [...each]) : flattened(requests);
  }

  #enqueue({ reason, options }: ObjectChange<T>, requests: Requests): void {
    const enqueued = new Set<string>();
    for (const request of requests) {
      const key = requestKey(request);
      if (!enqueued.has(key)) this.#dependencies.enqueue(request, reason, options);
      enqueued.add(key);
    }
  }

  #fail(key: string, { pending: _, ...change }: WaitingChange<T>, error: unknown): void {
    const later = this.#waiting.get(key);
    this.#keep(key, later === undefined ? change : merged(change, later));
    const retryAfterMs = this.#queue.retry(key, { priority: change.options.priority ?? 0 });
    this.#dependencies.onError(requestOf(change.states[0]!), error, retryAfterMs);
    this.#finish(key);
  }

  #finish(key: string): void {
    for (const callback of this.#unfinished.get(key) ?? []) callback();
    this.#unfinished.delete(key);
  }
}

function isPromise<T extends object>(value: T | Promise<T>): value is Promise<T> {
  return 'then' in value;
}

async function flattened(requests: readonly (Iterable<Request> | Promise<Iterable<Request>>)[]): Promise<Requests> {
  return (await Promise.all(requests)).flatMap((each) => [...each]);
}

/** Merges two changes: the object after the second, and before the first. */
function merged<T extends KubernetesObject>(first: ObjectChange<T>, second: ObjectChange<T>): ObjectChange<T> {
  const before = first.states.at(-1)!;
  const [after] = second.states;
  const priority = Math.max(first.options.priority ?? 0, second.options.priority ?? 0);
  return {
    states: before === after ? [before] : [after!, before],
    reason: second.reason,
    options: { ...second.options, priority },
  };
}
