import { type ApiResponse, inProcess } from '@pintle/apiserver';
import { SeededRandom, SteppedClock, yieldToEventLoop } from '@pintle/async';
import { Client, type Transport } from '@pintle/client';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { openMemoryStore, type Store } from '@pintle/store';

/** After so many turns of the event loop without a message, nothing happens until time passes. */
const QUIET_TURNS = 2;
const USER = { username: 'admin', groups: ['system:masters'] };

/** A server with a store in memory, and a time that passes when nothing else happens. */
export class World implements AsyncDisposable {
  readonly clock: SteppedClock;
  /** Client without faults. */
  readonly client: Client;
  readonly #store: Store;
  readonly #server: KubeApiServer;
  readonly #progress: Progress;

  private constructor(clock: SteppedClock, store: Store, server: KubeApiServer, progress: Progress) {
    this.clock = clock;
    this.#store = store;
    this.#server = server;
    this.#progress = progress;
    this.client = new Client({ transport: { send: (request) => this.serve(request) }, clock });
  }

  /** Without `isSelecting`, the server ignores shard selectors, as most servers do. */
  static async open(seed: number, { isSelecting = true }: { readonly isSelecting?: boolean } = {}): Promise<World> {
    const progress = new Progress();
    const clock = new SteppedClock({ settle: () => progress.settle() });
    const store = await openMemoryStore({ clock });
    const server = await KubeApiServer.open({
      store,
      clock,
      random: new SeededRandom(seed),
      authenticator: { authenticate: () => undefined },
      authorizer: { authorize: () => ({ allowed: true, reason: '' }) },
      disabledAdmission: ['ServiceAccount', 'ResourceQuota'],
      bootstrap: { isComplete: true },
      compactionIntervalMs: 0,
      isShardingEnabled: isSelecting,
    });
    return new World(clock, store, server, progress);
  }

  readonly serve: Transport['send'] = async (request) => {
    this.#progress.begin();
    try {
      return (await inProcess(this.#server, USER)(request)) as ApiResponse;
    } finally {
      this.#progress.end();
    }
  };

  /** Called whenever a message moves between a process and the server. */
  readonly noteActivity = (): void => this.#progress.note();

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.beginShutdown();
    await this.#server.close();
    await this.#store.close();
  }
}

/** Knows whether anything still happens that needs no time to pass. */
class Progress {
  #activity = 0;
  #busy = 0;

  note(): void {
    this.#activity++;
  }

  begin(): void {
    this.#activity++;
    this.#busy++;
  }

  end(): void {
    this.#activity++;
    this.#busy--;
  }

  async settle(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await yieldToEventLoop();
      quiet = this.#activity === seen && this.#busy === 0 ? quiet + 1 : 0;
      seen = this.#activity;
    }
  }
}
