import { setMaxListeners } from 'node:events';
import type { Clock, Random, Runnable } from '@pintle/async';
import { realClock, runAll, systemRandom } from '@pintle/async';
import type { Client } from '@pintle/client';
import { CachedClient, SharedInformers } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { ControllerGround, Log } from '../controller/controller.ts';
import { Controller } from '../controller/controller.ts';
import { ControllerBuilder } from '../controller/controller-builder.ts';

export interface ManagerOptions {
  readonly client: Client;
  readonly clock?: Clock;
  /** What informers measure the server's silence by. Default: `clock`. A test that leaps over months lets it rest. */
  readonly heartbeats?: Clock;
  readonly random?: Random;
  /** Default: silence. */
  readonly log?: Log;
  /** Cached objects cannot be changed by mistake: for tests. */
  readonly isFrozen?: boolean;
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What controllers have in common: one client, one cache for each kind, one life. */
export class Manager implements Runnable, ControllerGround {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly #controllers: Controller[] = [];
  readonly #runnables: Runnable[] = [];

  constructor(options: ManagerOptions) {
    const { client, clock = realClock, random = systemRandom, log = SILENT, isFrozen = false } = options;
    this.clock = clock;
    this.random = random;
    this.log = log;
    this.informers = new SharedInformers({
      client,
      clock: options.heartbeats ?? clock,
      random,
      isFrozen,
      onError: (error, type) =>
        log.warn('Lost sight of objects', {
          kind: type.kind,
          error: error instanceof Error ? error.message : String(error),
        }),
    });
    this.client = new CachedClient(client, this.informers);
  }

  /** A controller of the objects of a kind, to be completed by `reconcile`. */
  controller<T extends KubernetesObject>(type: ResourceType<T>, name = type.kind.toLowerCase()): ControllerBuilder<T> {
    return new ControllerBuilder(this, type, name, (controller) => this.add(controller));
  }

  /** Runs with the manager. Names of controllers are unique. */
  add(runnable: Controller | Runnable): void {
    if (runnable instanceof Controller) {
      if (this.#controllers.some(({ name }) => name === runnable.name))
        throw new TypeError(`Cannot add controller ${JSON.stringify(runnable.name)}: there is one already`);
      this.#controllers.push(runnable);
    } else this.#runnables.push(runnable);
  }

  get controllers(): readonly Controller[] {
    return this.#controllers;
  }

  /** Works until `signal` aborts; controllers stop before the caches they read from. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const caches = new AbortController();
    setMaxListeners(0, caches.signal);
    const informing = this.informers.run({ signal: caches.signal });
    try {
      await Promise.race([runAll([...this.#controllers, ...this.#runnables], { signal }), informing]);
    } finally {
      caches.abort();
      await informing.catch(() => undefined);
    }
  }
}
