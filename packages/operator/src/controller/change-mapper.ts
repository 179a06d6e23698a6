import type { Clock } from '@pintle/async';
import { deferred } from '@pintle/async';
import type { AddOptions, CachedClient, RefOf } from '@pintle/client';
import { WorkQueue } from '@pintle/client';
import type { Cached, KubernetesObject, Scope } from '@pintle/machinery';
import type { Reason } from './reason.ts';
import type { Request } from './request.ts';
import { requestKey, requestOf } from './request.ts';

/**
 * Gives the objects that a change of another one concerns. It may wait for what it reads, and it should read from the
 * cached client it is given. When it fails, it is asked again, later each time.
 */
export type MapToRequests<
  T extends KubernetesObject,
  S extends Scope = Scope,
  /** Of the objects that it gives. */
  M extends Scope = Scope,
> = (object: Cached<T, S>, context: MapContext) => Iterable<RefOf<M>> | Promise<Iterable<RefOf<M>>>;

/** The tools of a map function. */
export interface MapContext {
  /** Reads from caches, where there are some. */
  readonly client: CachedClient;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A change that is to be mapped: the object as it is, and as it was when it was last mapped. */
interface Mapped<T extends KubernetesObject> {
  readonly states: readonly Cached<T>[];
  readonly reason: Reason;
  readonly options: AddOptions;
}

interface Waiting<T extends KubernetesObject> extends Mapped<T> {
  /** Results of first calls that are still pending. */
  readonly begun?: Promise<Made> | undefined;
}

type Made = readonly Request[];

interface MapperDependencies<T extends KubernetesObject> {
  readonly map: MapToRequests<T>;
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly enqueue: (request: Request, reason: Reason, options: AddOptions) => void;
  /** Told when the map failed, and when it is asked again. */
  readonly onError: (object: Request, error: unknown, retryAfterMs: number) => void;
}

/**
 * Turns changes of a kind's objects into requests. What a map gives at once is told at once. What it waits for is told
 * in the order of the changes: one object at a time, each as it is by then, and as it was when it was last told of. So
 * no more waits than there are objects, however often they change.
 */
export class ChangeMapper<T extends KubernetesObject> implements Disposable {
  readonly #dependencies: MapperDependencies<T>;
  readonly #context: MapContext;
  readonly #stop = new AbortController();
  readonly #queue: WorkQueue<string>;
  /** By the key of the object. Always those that are in the queue and not yet taken. */
  readonly #waiting = new Map<string, Waiting<T>>();
  /** Objects whose changes are neither told nor have failed, by their key, and who waits for that. */
  readonly #untold = new Map<string, (() => void)[]>();
  /** Set once the map has waited or failed: from then on objects take turns. */
  #working: Promise<void> | undefined;

  constructor(dependencies: MapperDependencies<T>) {
    this.#dependencies = dependencies;
    this.#queue = new WorkQueue({ clock: dependencies.clock });
    this.#context = { client: dependencies.client, signal: this.#stop.signal };
  }

  /** How many objects have changes that are being mapped, or are about to be. */
  get size(): number {
    const { ready, active } = this.#queue.stats();
    return ready + active;
  }

  take(change: Mapped<T>): void {
    const key = requestKey(requestOf(change.states[0]!));
    const earlier = this.#waiting.get(key);
    if (earlier !== undefined || this.#working !== undefined) {
      this.#wait(key, earlier === undefined ? change : merged(earlier, change));
      return;
    }
    try {
      const made = this.#map(change);
      if (!isPromise(made)) this.#tell(change, made);
      else this.#wait(key, { ...change, begun: made });
    } catch (error) {
      this.#fail(key, change, error);
    }
  }

  /** Resolves once everything taken so far has been told, or has failed. */
  async answered(): Promise<void> {
    const answers = [...this.#untold.values()].map((waiters) => {
      const answer = deferred();
      waiters.push(() => answer.resolve());
      return answer.promise;
    });
    await Promise.all(answers);
  }

  /** Drops results that are still pending. */
  [Symbol.dispose](): void {
    this.#queue.close();
    this.#stop.abort(new Error('Cannot map a change: the controller stops'));
    this.#waiting.clear();
    for (const key of [...this.#untold.keys()]) this.#answer(key);
  }

  #wait(key: string, change: Waiting<T>): void {
    if (this.#stop.signal.aborted) return;
    const { priority = 0 } = change.options;
    this.#keep(key, change);
    this.#queue.add(key, { priority });
  }

  #keep(key: string, change: Waiting<T>): void {
    this.#waiting.set(key, change);
    if (!this.#untold.has(key)) this.#untold.set(key, []);
    this.#working ??= this.#work();
  }

  /** Never rejects, and ends when the queue is closed. */
  async #work(): Promise<void> {
    for (let held = await this.#queue.take(); held !== undefined; held = await this.#queue.take()) {
      await this.#attempt(held.item);
      held.done();
    }
  }

  async #attempt(key: string): Promise<void> {
    const change = this.#waiting.get(key);
    if (change === undefined) return;
    this.#waiting.delete(key);
    try {
      const made = await (change.begun ?? this.#map(change));
      if (this.#stop.signal.aborted) return;
      this.#tell(change, made);
      this.#queue.forget(key);
      if (!this.#waiting.has(key)) this.#answer(key);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(key, change, error);
    }
  }

  /** Calls the map for each state. What it gives lazily is looked at here, for it may fail. */
  #map({ states }: Mapped<T>): Made | Promise<Made> {
    const made = states.map((state) => this.#dependencies.map(state, this.#context));
    const isAtOnce = made.every((each) => !isPromise(each));
    return isAtOnce ? (made as Iterable<Request>[]).flatMap((each) => [...each]) : flattened(made);
  }

  #tell({ reason, options }: Mapped<T>, made: Made): void {
    const told = new Set<string>();
    for (const request of made) {
      const key = requestKey(request);
      if (!told.has(key)) this.#dependencies.enqueue(request, reason, options);
      told.add(key);
    }
  }

  #fail(key: string, { begun: _, ...change }: Waiting<T>, error: unknown): void {
    const later = this.#waiting.get(key);
    this.#keep(key, later === undefined ? change : merged(change, later));
    const retryAfterMs = this.#queue.retry(key, { priority: change.options.priority ?? 0 });
    this.#dependencies.onError(requestOf(change.states[0]!), error, retryAfterMs);
    this.#answer(key);
  }

  #answer(key: string): void {
    for (const waiter of this.#untold.get(key) ?? []) waiter();
    this.#untold.delete(key);
  }
}

function isPromise<T extends object>(value: T | Promise<T>): value is Promise<T> {
  return 'then' in value;
}

async function flattened(made: readonly (Iterable<Request> | Promise<Iterable<Request>>)[]): Promise<Made> {
  return (await Promise.all(made)).flatMap((each) => [...each]);
}

/** Two changes of an object as one: as it is after the second, and as it was before the first. */
function merged<T extends KubernetesObject>(first: Mapped<T>, second: Mapped<T>): Mapped<T> {
  const before = first.states.at(-1)!;
  const [after] = second.states;
  const priority = Math.max(first.options.priority ?? 0, second.options.priority ?? 0);
  return {
    states: before === after ? [before] : [after!, before],
    reason: second.reason,
    options: { ...second.options, priority },
  };
}
