import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type ClientConfig, connect, Informer, type Interceptor } from '@pintle/client';
import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';

const NAMESPACE = 'ha';
const TICK_MS = 100;
const SETTLE_MS = 30_000;

export interface LoadOptions {
  /** Writes a second. */
  readonly writes: number;
  /** Informers, each with a connection of its own. */
  readonly informers: number;
}

/** Outcomes of a run, as clients saw them. */
export interface Seen {
  readonly acknowledged: number;
  /** Writes without an acknowledgement; they may have happened. */
  readonly failed: number;
  /** Acknowledged writes that are not there. */
  readonly lost: number;
  /** Lists that informers sent after their first. */
  readonly lists: number;
  /** Watches that informers opened after their first. */
  readonly resumed: number;
  /** Informers whose cache differs from a list at the end. */
  readonly different: number;
  /** Longest time between two acknowledged writes. */
  readonly longestPauseMs: number;
}

/** Clients that write and watch through the balancer. */
export class Clients {
  readonly #clients: Client[] = [];
  readonly #informers: Informer<ConfigMap, 'Namespaced'>[] = [];
  readonly #running: Promise<void>[] = [];
  readonly #writing = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #stopWriting = new AbortController();
  readonly #acknowledged = new Set<string>();
  #writer!: Promise<void>;
  #failed = 0;
  #lists = 0;
  #watches = 0;
  #lastMs = 0;
  #longestPauseMs = 0;

  static async start(config: ClientConfig, options: LoadOptions): Promise<Clients> {
    const clients = new Clients();
    const writer = await clients.#connect(config, []);
    await writer.create(Namespace, { metadata: { name: NAMESPACE } });
    for (let index = 0; index < options.informers; index++) await clients.#watch(config);
    clients.#lists = 0;
    clients.#watches = 0;
    clients.#lastMs = performance.now();
    clients.#writer = clients.#write(writer, options.writes);
    return clients;
  }

  /** One line about what was seen so far. */
  get line(): string {
    const pause = Math.round(performance.now() - this.#lastMs);
    return `${this.#acknowledged.size} writes acknowledged, ${this.#failed} failed, the last ${pause} ms ago; ${this.#watches} watches resumed, ${this.#lists} lists`;
  }

  /** Ends the load, and compares what was acknowledged and what informers have with a consistent list. */
  async finish(): Promise<Seen> {
    this.#stopWriting.abort();
    await this.#writer;
    await Promise.all(this.#writing);
    const { items } = await this.#clients[0]!.list(ConfigMap, { namespace: NAMESPACE });
    const there = new Set(items.map(({ metadata }) => metadata.name!));
    const different = await this.#differing(there);
    this.#stop.abort();
    await Promise.allSettled(this.#running);
    await Promise.all(this.#clients.map((client) => client.close()));
    return {
      acknowledged: this.#acknowledged.size,
      failed: this.#failed,
      lost: [...this.#acknowledged].filter((name) => !there.has(name)).length,
      lists: this.#lists,
      resumed: this.#watches,
      different,
      longestPauseMs: Math.round(this.#longestPauseMs),
    };
  }

  async #connect(config: ClientConfig, interceptors: Interceptor[]): Promise<Client> {
    // A write that is sent twice would hide that the first one failed.
    const client = await connect(config, { interceptors, retry: false });
    this.#clients.push(client);
    return client;
  }

  async #watch(config: ClientConfig): Promise<void> {
    const client = await this.#connect(config, [
      (request, next) => this.#count(request.query ?? '', () => next(request)),
    ]);
    const informer = new Informer({ client, type: ConfigMap, select: { namespace: NAMESPACE } });
    this.#informers.push(informer);
    this.#running.push(informer.run({ signal: this.#stop.signal }));
    await informer.synced;
  }

  #count<T>(query: string, send: () => Promise<T>): Promise<T> {
    if (query.includes('watch=') && !query.includes('sendInitialEvents=true')) this.#watches++;
    else this.#lists++;
    return send();
  }

  async #write(client: Client, rate: number): Promise<void> {
    let written = 0;
    for (const startedMs = performance.now(); !this.#stopWriting.signal.aborted; await sleep(TICK_MS)) {
      for (const due = ((performance.now() - startedMs) * rate) / 1000; written < due; written++) {
        const write = this.#create(client, `write-${written}`).finally(() => this.#writing.delete(write));
        this.#writing.add(write);
      }
    }
  }

  async #create(client: Client, name: string): Promise<void> {
    try {
      await client.create(ConfigMap, { metadata: { namespace: NAMESPACE, name } });
      this.#acknowledged.add(name);
      const nowMs = performance.now();
      this.#longestPauseMs = Math.max(this.#longestPauseMs, nowMs - this.#lastMs);
      this.#lastMs = nowMs;
    } catch {
      this.#failed++;
    }
  }

  /** Counts informers that do not have the objects of a list after a while. */
  async #differing(there: ReadonlySet<string>): Promise<number> {
    const isDifferent = (informer: Informer<ConfigMap, 'Namespaced'>) =>
      informer.cache.list().length !== there.size ||
      !informer.cache.list().every(({ metadata }) => there.has(metadata.name));
    for (const end = performance.now() + SETTLE_MS; performance.now() < end; await sleep(TICK_MS))
      if (!this.#informers.some(isDifferent)) return 0;
    return this.#informers.filter(isDifferent).length;
  }
}
