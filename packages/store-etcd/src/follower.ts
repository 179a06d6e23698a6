import type { Clock } from '@pintle/async';
import { type Revision, StoreError } from '@pintle/store';
import { copyOfValue, type Replica, type ReplicatedChange } from '@pintle/store/replica';
import type { KeySpace } from './key-space.ts';
import { load } from './load.ts';
import type { Cluster } from './rpc/cluster.ts';
import type { KeyValue } from './rpc/methods.ts';
import { type EtcdEvent, type SessionEnd, WatchSession } from './watch-session.ts';

interface FollowerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly keys: KeySpace;
  readonly replica: Replica;
  /** A key outside of the store that is watched too. */
  readonly extraKey: Uint8Array;
  readonly onExtraKey: (kv: KeyValue) => void;
  readonly signal: AbortSignal;
  readonly warn: (problem: string) => void;
}

/**
 * Keeps a replica in sync with the cluster.
 *
 *     load ──► watch ──► watch     the stream ended or was silent: continue after the last revision, on another member
 *      ▲         │
 *      └─────────┘                 the next events are compacted, or do not match the replica: load again
 */
export class Follower {
  readonly #options: FollowerOptions;
  #session: WatchSession | undefined;
  #clusterId: bigint | undefined;
  /** Time when a member last reported a change, or progress. */
  #heardMs = 0;
  /** Oldest revision that was kept when a watch was last refused. */
  #oldest = 0;
  /** Reason why an event did not match the replica. */
  #gap: string | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Fills the replica. Throws Unavailable when the cluster is another one, or older, than before. */
  async #load(): Promise<void> {
    const { cluster, keys, replica, signal, clock } = this.#options;
    const startedMs = clock.monotonic();
    const { revision, records, clusterId } = await load(cluster, keys, signal);
    if (this.#clusterId !== undefined && clusterId !== this.#clusterId)
      throw new StoreError({ code: 'Unavailable', problem: 'the etcd endpoints now belong to another cluster' });
    if (revision < replica.revision)
      throw new StoreError({
        code: 'Unavailable',
        problem: `etcd went back from revision ${replica.revision} to ${revision}: it lost writes or was restored from a backup`,
      });
    this.#clusterId = clusterId;
    replica.load(revision, records);
    this.#heardMs = startedMs;
  }

  /** Time since a member last reported a change, or progress, which is requested after a quiet second. */
  get staleMs(): number {
    return this.#options.clock.monotonic() - this.#heardMs;
  }

  #advance(revision: Revision): void {
    this.#heardMs = this.#options.clock.monotonic();
    this.#options.replica.advance(revision);
  }

  /** Fills the replica and resolves once it is watched: later writes are seen without delay. */
  async start(): Promise<void> {
    await this.#load();
    await this.#open().created;
  }

  /** Resolves once the signal has aborted. Rejects when the replica cannot continue. */
  async run(): Promise<void> {
    const { cluster, clock, signal, warn } = this.#options;
    const backoff = cluster.backoff();
    while (!signal.aborted) {
      const session = this.#session ?? this.#open();
      const closing = () => session.close();
      signal.addEventListener('abort', closing, { once: true });
      const end = await session.ended;
      signal.removeEventListener('abort', closing);
      this.#session = undefined;
      if (signal.aborted) return;
      if (session.isCreated) backoff.reset();
      if (end.type === 'compacted') this.#oldest = end.oldest;
      const missed = this.#gap ?? this.#missedBy(end);
      if (missed !== undefined) await this.#reload(missed);
      else {
        warn(`Watch of etcd at ${session.address} ended: ${problemOf(end)}`);
        cluster.skip(session.address);
        await clock.sleep(backoff.next(), { signal }).catch(() => undefined);
      }
    }
  }

  /**
   * Returns why the next events cannot be read, if so. A watch that was up to date when history was compacted continues
   * after it.
   */
  #missedBy(end: SessionEnd): string | undefined {
    const isMissed = end.type === 'compacted' && end.oldest > this.#options.replica.revision + 1;
    return isMissed ? `history before ${end.oldest} is compacted` : undefined;
  }

  /** Requests the progress of the watch; does nothing without one. */
  requestProgress(): void {
    this.#session?.requestProgress();
  }

  #open(): WatchSession {
    const { cluster, clock, keys, replica, extraKey, onExtraKey } = this.#options;
    this.#gap = undefined;
    const session = new WatchSession({
      endpoint: cluster.preferred,
      clock,
      key: keys.prefix,
      rangeEnd: keys.end,
      after: replica.revision,
      oldest: this.#oldest,
      extraKey,
      onTransaction: (revision, events) => this.#apply(session, revision, events),
      onProgress: (revision) => this.#advance(revision),
      onExtraKey,
    });
    this.#session = session;
    return session;
  }

  async #reload(why: string): Promise<void> {
    const { signal, warn, clock, cluster } = this.#options;
    warn(`Cannot continue watching etcd: ${why}; loading again`);
    const backoff = cluster.backoff();
    while (!signal.aborted) {
      try {
        await this.#load();
        return;
      } catch (error) {
        if (error instanceof StoreError) throw error;
        warn(`Cannot read from etcd: ${(error as Error).message}`);
        await clock.sleep(backoff.next(), { signal }).catch(() => undefined);
      }
    }
  }

  #apply(session: WatchSession, revision: Revision, events: readonly EtcdEvent[]): void {
    const { replica, keys } = this.#options;
    if (this.#gap !== undefined || revision <= replica.revision) return;
    const changes: ReplicatedChange[] = [];
    for (const { type, kv } of events) {
      const key = keys.fromEtcd(kv.key);
      if (key === undefined) continue;
      this.#gap ??= gapOf(replica, key, type, kv);
      changes.push(type === 'delete' ? { type, key } : toPut(key, kv));
    }
    if (this.#gap !== undefined) {
      session.close();
      return;
    }
    this.#heardMs = this.#options.clock.monotonic();
    if (changes.length === 0) replica.advance(revision);
    else replica.apply(revision, changes);
  }
}

function problemOf(end: SessionEnd): string {
  if (end.type === 'compacted') return 'history was compacted up to where it was';
  return end.error?.message ?? 'it was closed or fell silent';
}

/** Returns a gap between versions of a key, which reveals missed events. */
function gapOf(replica: Replica, key: string, type: EtcdEvent['type'], kv: KeyValue): string | undefined {
  const known = replica.newest(key);
  const version = known?.version ?? 0;
  const fits = type === 'delete' ? version > 0 : kv.version === version + 1;
  return fits ? undefined : `version ${kv.version} of ${JSON.stringify(key)} came after ${known?.version ?? 'none'}`;
}

function toPut(key: string, { value, createRevision, version }: KeyValue): ReplicatedChange {
  return { type: 'put', key, value: copyOfValue(value), createRevision, version };
}
