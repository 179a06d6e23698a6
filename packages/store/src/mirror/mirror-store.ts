import { type Deferred, deferred } from '@pintle/async';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import type { HistoryLimits } from '../mvcc/history-size.ts';
import { copyOfValue, prepare } from '../mvcc/transaction.ts';
import { Replica, type ReplicatedChange, type ReplicatedRecord } from '../replica/replica.ts';
import type { Revision } from '../revision.ts';
import type {
  CommitResult,
  HistoryUsage,
  Operation,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Store,
  StoreLimits,
  StoreRecord,
  StoreWatch,
  WatchOptions,
} from '../store.ts';
import type {
  Answer,
  MirroredRecord,
  MirroredTransaction,
  Question,
  QuestionsMessage,
  Report,
  ReportsMessage,
} from './messages.ts';
import { Outbox } from './outbox.ts';
import type { StoreChannel } from './store-channel.ts';

export interface MirrorStoreOptions {
  /** Limits of the history that this process holds in memory. Default: 128 MiB. */
  readonly history?: HistoryLimits;
}

type Done = Extract<Answer, { type: 'done' }>;

/** A question without its number. */
type Unnumbered = Question extends infer Q ? (Q extends Question ? Omit<Q, 'id'> : never) : never;

/**
 * Opens the mirror of a store that another process has, and serves on this channel with `serveStore`. Resolves once the
 * mirror has what the store had. Throws Unavailable when the channel ends first.
 */
export async function openMirrorStore(channel: StoreChannel, options: MirrorStoreOptions = {}): Promise<Store> {
  const store = new MirrorStore(channel, options);
  await store.open();
  return store;
}

/**
 * A replica of a store in another process of the same machine. Reads are served from it; transactions are decided where the
 * store is, and acknowledged once the replica has them.
 *
 *     commit ──► question ──► store ──► transaction, answer ──► replica ──► acknowledge
 *     latest ──► question ──► store ──► answer ──► wait for the replica to be there
 */
class MirrorStore implements Store {
  readonly #replica: Replica;
  readonly #outbox: Outbox<QuestionsMessage>;
  readonly #channel: StoreChannel;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #asked = new Map<number, Deferred<Done>>();
  readonly #loaded = deferred<Revision>();
  /** Values that the store called outdated. */
  readonly #outdated = new WeakSet<Uint8Array>();
  #questions: Question[] = [];
  #isFirst = true;
  #lastId = 0;
  /** Question that callers share until it leaves. */
  #nextLatest: Promise<Revision> | undefined;
  /** Records of a load that goes on. */
  #loading:
    | { readonly revision: Revision; readonly current: Revision; readonly records: ReplicatedRecord[] }
    | undefined;
  #limits: StoreLimits = { maxValueBytes: 0, maxOperations: 0, maxBytes: 0 };
  #isShared = false;
  #end: StoreError | undefined;
  #closing: Promise<void> | undefined;

  constructor(channel: StoreChannel, { history }: MirrorStoreOptions) {
    this.#replica = new Replica({ history });
    this.#channel = channel;
    this.#outbox = new Outbox({ channel, take: () => this.#take(), onEnd: () => this.#lose('its process is gone') });
  }

  async open(): Promise<void> {
    this.#channel.receive(
      (message) => {
        for (const report of message as ReportsMessage) this.#hear(report);
      },
      () => this.#outbox.end(),
    );
    this.#outbox.schedule();
    await this.#replica.reached(await this.#loaded.promise);
  }

  get revision(): Revision {
    return this.#replica.revision;
  }

  get compactedRevision(): Revision {
    return this.#replica.compactedRevision;
  }

  get history(): HistoryUsage {
    return this.#replica.history;
  }

  get damagedKeys(): ReadonlySet<string> {
    return this.#replica.damagedKeys;
  }

  get limits(): StoreLimits {
    return this.#limits;
  }

  /** That of the store: mirrors of a store that one server has belong to that server. */
  get isShared(): boolean {
    return this.#isShared;
  }

  latest({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Revision> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#nextLatest ??= this.#ask({ type: 'latest' }).then(async ({ revision }) => {
      await this.#replica.reached(revision);
      return revision;
    });
    return this.#nextLatest;
  }

  get(key: string, options?: ReadOptions): StoreRecord | undefined {
    return this.#replica.get(key, options);
  }

  range(range: KeyRange, options?: RangeOptions): Promise<RangeResult> {
    return this.#replica.range(range, options);
  }

  count(range: KeyRange, options?: ReadOptions): Promise<number> {
    return this.#replica.count(range, options);
  }

  watch(range: KeyRange, options?: WatchOptions): StoreWatch {
    return this.#replica.watch(range, options);
  }

  async commit(operations: readonly Operation[]): Promise<CommitResult> {
    if (this.#closing) throw closed();
    const prepared = prepare(operations, this.#limits, undefined).map((operation, index): Operation => {
      if (operation.type !== 'put') return operations[index]!;
      const { value } = operation;
      return { ...(operations[index] as Operation & { type: 'put' }), value };
    });
    const write = this.#commit(prepared);
    this.#writes.add(write);
    try {
      return await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  async expirations(): Promise<ReadonlyMap<string, number>> {
    return (await this.#ask({ type: 'expirations' })).expirations!;
  }

  isOutdated({ value }: StoreRecord): boolean {
    return this.#outdated.has(value);
  }

  async compact(revision: Revision): Promise<void> {
    if (this.#closing) throw closed();
    await this.#ask({ type: 'compact', revision });
    await this.#replica.reached(revision);
    await this.#replica.compact(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    this.#end ??= closed();
    this.#outbox.end();
    await this.#replica.close(closed());
  }

  async #commit(operations: readonly Operation[]): Promise<CommitResult> {
    const { revision } = await this.#ask({ type: 'commit', operations });
    await this.#replica.reached(revision);
    return { revision };
  }

  /** Rejects with the failure of the store, once the replica has what it is about. */
  #ask(question: Unnumbered): Promise<Done> {
    if (this.#end) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    const asked = deferred<Done>();
    this.#asked.set(id, asked);
    this.#questions.push({ id, ...question } as Question);
    this.#outbox.schedule();
    return asked.promise;
  }

  #take(): QuestionsMessage | undefined {
    const isFirst = this.#isFirst;
    if (!isFirst && this.#questions.length === 0) return undefined;
    const questions = this.#questions;
    this.#questions = [];
    this.#isFirst = false;
    this.#nextLatest = undefined;
    return { ...(isFirst && { isFirst }), questions };
  }

  #hear(report: Report): void {
    if (this.#end) return;
    switch (report.type) {
      case 'load': {
        const { revision, current, limits, isShared } = report;
        this.#limits = limits;
        this.#isShared = isShared;
        this.#loading = { revision, current, records: [] };
        return;
      }
      case 'page':
        this.#addPage(report.records, report.isLast);
        return;
      case 'transaction':
        this.#apply(report.transaction);
        return;
      case 'progress':
        this.#replica.advance(report.revision);
        this.#forgetBefore(report.compacted);
        return;
      case 'answer':
        this.#settle(report.answer);
        return;
      case 'closed':
        this.#lose(report.problem);
    }
  }

  #addPage(records: readonly MirroredRecord[], isLast: boolean): void {
    const loading = this.#loading!;
    for (const { isOutdated, ...record } of records)
      loading.records.push({ ...record, value: this.#held(record.value, isOutdated) });
    if (!isLast) return;
    this.#replica.load(loading.revision, loading.records);
    this.#loaded.resolve(loading.current);
    this.#loading = undefined;
  }

  #apply({ revision, changes }: MirroredTransaction): void {
    const applied = changes.map((change): ReplicatedChange => {
      if (typeof change === 'string') return { type: 'delete', key: change };
      const { key, value, createRevision, version, isOutdated } = change;
      return { type: 'put', key, value: this.#held(value, isOutdated), createRevision, version };
    });
    const gap = applied.map((change) => this.#gapOf(change)).find((found) => found !== undefined);
    if (gap === undefined) this.#replica.apply(revision, applied);
    else this.#lose(gap);
  }

  /** Returns a gap between versions of a key, which no feed in order has. */
  #gapOf(change: ReplicatedChange): string | undefined {
    // The version of a record that cannot be read is not known.
    if (this.damagedKeys.has(change.key)) return undefined;
    const version = this.#replica.newest(change.key)?.version ?? 0;
    const fits = change.type === 'delete' ? version > 0 : change.version === version + 1;
    return fits ? undefined : `a change of ${JSON.stringify(change.key)} was missed after version ${version}`;
  }

  /** Copies a value, because a view would keep its whole message in memory. */
  #held(value: Uint8Array, isOutdated: true | undefined): Uint8Array {
    const copy = copyOfValue(value);
    if (isOutdated) this.#outdated.add(copy);
    return copy;
  }

  #settle(answer: Answer): void {
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if (answer.type === 'done') asked?.resolve(answer);
    else
      Promise.resolve(this.#replica.reached(answer.revision)).then(
        () => asked?.reject(new StoreError(answer.failure)),
        (error: unknown) => asked?.reject(error),
      );
  }

  #forgetBefore(revision: Revision): void {
    if (revision > this.compactedRevision && revision <= this.revision)
      void this.#replica.compact(revision).catch(() => undefined);
  }

  /** Ends the store: what was asked may have happened or not. */
  #lose(problem: string): void {
    if (this.#end) return;
    this.#end = new StoreError({ code: 'Unavailable', problem });
    this.#loaded.promise.catch(() => undefined);
    this.#loaded.reject(this.#end);
    for (const { reject } of this.#asked.values()) reject(this.#end);
    this.#asked.clear();
    void this.#replica.close(this.#end);
  }
}

function closed(): StoreError {
  return new StoreError({ code: 'Unavailable', problem: 'it is closed' });
}
