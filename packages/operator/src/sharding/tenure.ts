import { setMaxListeners } from 'node:events';
import type { Interceptor } from '@pintle/client';
import { CachedClient, type SharedInformers } from '@pintle/client';
import { shardFencedError } from '@pintle/machinery/errors';
import { FENCE_HEADER, formatFence } from '@pintle/machinery/selectors';
import type { ControllerDependencies } from '../controller/controller.ts';

/** Slot of an object while this process owns it. */
export interface Shard {
  readonly slot: number;
  readonly epoch: number;
}

interface TenureDependencies {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  /** Shard map that servers compare with. */
  readonly map: { readonly namespace: string; readonly name: string };
  /** False when another process may own the slot, by the clock of this process. */
  readonly isValid: () => boolean;
}

/** Time during which this process owns a slot: one epoch. Its clients send the epoch with every write. */
export class Tenure implements Shard {
  readonly slot: number;
  readonly epoch: number;
  /** Reconciles that are running. */
  active = 0;
  /** Requests to be done before the slot is handed over. */
  owed = 0;
  /** Starts no reconcile any more but those that are owed. */
  isDraining = false;
  /** All caches have the objects of the slot. */
  isReady = false;
  readonly #stop = new AbortController();
  readonly #client: CachedClient;
  readonly #joined = new WeakMap<AbortSignal, AbortSignal>();
  readonly #scoped = new WeakMap<ControllerDependencies, ControllerDependencies>();

  constructor(slot: number, epoch: number, dependencies: TenureDependencies) {
    this.slot = slot;
    this.epoch = epoch;
    const fence = formatFence({ ...dependencies.map, slot, epoch });
    const send: Interceptor = (request, next) => {
      if (request.method === 'GET') return next(request);
      // Other servers do not know fences: this process refuses what it may not send.
      if (this.signal.aborted || !dependencies.isValid())
        return Promise.reject(shardFencedError({ group: '', resource: 'shard' }, String(slot)));
      return next({ ...request, headers: { ...request.headers, [FENCE_HEADER]: fence } });
    };
    this.#client = new CachedClient(dependencies.client.live.intercepted(send), dependencies.informers);
  }

  /** True once the slot is lost. */
  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Aborts when the slot is lost. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Returns a signal that also aborts with `stop`. Reconciles share it, because joining signals is costly. */
  signalWith(stop: AbortSignal): AbortSignal {
    let joined = this.#joined.get(stop);
    if (joined === undefined) {
      joined = AbortSignal.any([stop, this.signal]);
      setMaxListeners(0, joined);
      this.#joined.set(stop, joined);
    }
    return joined;
  }

  end(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Returns the dependencies of a controller with the fenced client. */
  scoped(dependencies: ControllerDependencies): ControllerDependencies {
    let scoped = this.#scoped.get(dependencies);
    if (scoped === undefined) {
      scoped = Object.create(dependencies, { client: { value: this.#client } }) as ControllerDependencies;
      this.#scoped.set(dependencies, scoped);
    }
    return scoped;
  }
}
