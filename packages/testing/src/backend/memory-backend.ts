import { ApiServer, inProcess } from '@pintle/apiserver';
import type { Clock, SeededRandom } from '@pintle/async';
import type { Transport } from '@pintle/client';
import type { Store } from '@pintle/store';
import { MemoryDisk, openMemoryStore } from '@pintle/store';
import type { Backend, User } from './backend.ts';

export interface MemoryBackendOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** What is in the store already. The backend takes it over. */
  readonly disk?: MemoryDisk;
  readonly onError: (error: unknown, where: string) => void;
}

/** A server of our own in this process, without a port, on a store in memory. */
export class MemoryBackend implements Backend {
  readonly kind = 'memory';
  readonly server: ApiServer;
  readonly #store: Store;

  private constructor(server: ApiServer, store: Store) {
    this.server = server;
    this.#store = store;
  }

  static async open({ clock, random, disk = new MemoryDisk(), onError }: MemoryBackendOptions): Promise<MemoryBackend> {
    const store = await openMemoryStore({ clock, disk });
    const server = await ApiServer.open({
      store,
      clock,
      random,
      auditIds: random.fork('audit'),
      authenticator: { authenticate: () => undefined },
      onError: (error, { path }) => onError(error, path),
    });
    return new MemoryBackend(server, store);
  }

  connect(user: User): Transport {
    return { send: inProcess(this.server, user), isProbed: true };
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.#store.close();
  }
}
