import { realClock, runInNextTurn, type Timer, yieldToEventLoop } from '@pintle/async';
import { StoreError, type StoreFailure } from '../errors.ts';
import { keyAfter } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { Store, StoreRecord, StoreWatch, WatchBatch } from '../store.ts';
import type { Answer, MirroredRecord, MirroredTransaction, Question, QuestionsMessage, Report } from './messages.ts';
import { Outbox } from './outbox.ts';
import type { StoreChannel } from './store-channel.ts';

/** Bytes that may wait for a mirror. Beyond them the watch waits, which then reads history. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Time for which transactions wait for others, unless the mirror waits for an answer. */
const GATHER_MS = 1;
const PAGE_BYTES = 1024 * 1024;
const PAGE_RECORDS = 2000;
/** Share of a record that is not its value. */
const RECORD_BYTES = 100;
const EVERYTHING = { start: '' };

export interface ServeStoreOptions {
  /**
   * Calls back when other writers of this process write too, since transactions of the same time are flushed together.
   * Default: in the next turn of the event loop.
   */
  readonly whenOthersWrite?: (callback: () => void) => void;
}

/** Serves one mirror of a store until the channel ends, or the store is closed. The store stays open. */
export function serveStore(store: Store, channel: StoreChannel, options: ServeStoreOptions = {}): void {
  new StoreService(store, channel, options).start();
}

/**
 * The end of a mirror's channel that has the store. It answers questions, and reports what is committed:
 *
 *     load ──► pages ──► transactions ──► transactions …
 *      ▲                      │
 *      └──────────────────────┘    compaction overtook the mirror: all is loaded again
 */
class StoreService {
  readonly #store: Store;
  readonly #channel: StoreChannel;
  readonly #whenOthersWrite: (callback: () => void) => void;
  readonly #outbox: Outbox<readonly Report[]>;
  readonly #stopping = new AbortController();
  #waiting: Report[] = [];
  #timer: Timer | undefined;
  /** Questions of this turn that commit. */
  #commits: Question[] = [];
  #waitingBytes = 0;
  #watch: StoreWatch | undefined;
  /** Progress that was reported last. */
  #reported = { revision: -1, compacted: -1 };
  /** Revision that the mirror waits for since an answer. */
  #owed = 0;

  constructor(store: Store, channel: StoreChannel, { whenOthersWrite = runInNextTurn }: ServeStoreOptions) {
    this.#store = store;
    this.#whenOthersWrite = whenOthersWrite;
    this.#channel = channel;
    this.#outbox = new Outbox({ channel, take: () => this.#take(), onEnd: () => this.#stopping.abort() });
  }

  start(): void {
    this.#channel.receive(
      (message) => {
        const { isFirst, questions } = message as QuestionsMessage;
        if (isFirst) void this.#feed();
        for (const question of questions) {
          if (question.type === 'commit') this.#commitLater(question);
          else void this.#answer(question);
        }
      },
      () => this.#outbox.end(),
    );
  }

  /** Reports everything until the channel or the store ends. */
  async #feed(): Promise<void> {
    const { signal } = this.#stopping;
    // The history that the store still has comes along, so that a mirror reads what the store does.
    for (let from: Revision | undefined = this.#store.compactedRevision; !signal.aborted; from = undefined) {
      try {
        await this.#follow(await this.#load(from ?? this.#store.revision));
        this.#report({ type: 'closed', problem: 'it was closed' });
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StoreError && MISSED.has(error.failure.code)) continue;
        this.#report({ type: 'closed', problem: error instanceof Error ? error.message : String(error) });
        return;
      } finally {
        this.#watch = undefined;
      }
    }
  }

  async #load(revision: Revision): Promise<Revision> {
    const { signal } = this.#stopping;
    const { limits, isShared, revision: current } = this.#store;
    this.#report({ type: 'load', revision, current, limits, isShared });
    for (let start = '', isLast = false; !isLast; ) {
      const damaged: MirroredRecord[] = [];
      const onDamaged = (error: StoreError): void => void damaged.push(...damagedOf(error));
      const page = await this.#store.range(
        { start },
        { revision, limit: PAGE_RECORDS, maxBytes: PAGE_BYTES, signal, onDamaged },
      );
      isLast = !page.more || page.records.length === 0;
      const records = page.records.map((record) => this.#mirrored(record));
      this.#report({ type: 'page', records: merged(records, damaged), isLast }, sizeOf(page.records));
      if (!isLast) start = keyAfter(page.records.at(-1)!.key);
      await this.#room();
    }
    return revision;
  }

  async #follow(after: Revision): Promise<void> {
    const watch = this.#store.watch(EVERYTHING, { after, signal: this.#stopping.signal });
    this.#watch = watch;
    this.#reported = { revision: after, compacted: after };
    for await (const batch of watch) {
      this.#report({ type: 'transaction', transaction: this.#transaction(batch) }, sizeOfBatch(batch));
      await this.#room();
    }
  }

  #transaction({ revision, events }: WatchBatch): MirroredTransaction {
    return {
      revision,
      changes: events.map((event) => {
        if (event.type === 'delete') return event.key;
        const { modRevision: _, ...change } = this.#mirrored(event.record);
        return change;
      }),
    };
  }

  #mirrored(record: StoreRecord): MirroredRecord {
    const { key, value, modRevision, createRevision, version } = record;
    const isOutdated = this.#store.isOutdated?.(record) ?? false;
    return { key, value, modRevision, createRevision, version, ...(isOutdated && { isOutdated }) };
  }

  /** Transactions wait a moment for others unless an answer follows: each message costs both processes a system call. */
  #report(report: Report, bytes = 0): void {
    this.#waiting.push(report);
    this.#waitingBytes += bytes;
    if (report.type !== 'transaction' || this.#waitingBytes > MAX_WAITING_BYTES) this.#outbox.schedule();
    else this.#timer ??= realClock.setTimer(GATHER_MS, () => this.#outbox.schedule());
  }

  async #room(): Promise<void> {
    while (this.#waitingBytes > MAX_WAITING_BYTES && !this.#stopping.signal.aborted) await this.#outbox.emptied;
  }

  /** Returns what waits, with the progress of the watch behind it. */
  #take(): readonly Report[] | undefined {
    if (this.#watch !== undefined) {
      const { progress: revision } = this.#watch;
      const compacted = this.#store.compactedRevision;
      const isNews = compacted > this.#reported.compacted || (revision > this.#reported.revision && this.#owed > 0);
      if (isNews) {
        this.#reported = { revision, compacted };
        this.#waiting.push({ type: 'progress', revision, compacted });
      }
      // A watch that reads history has nothing to report until it is through.
      if (revision < this.#owed) void yieldToEventLoop().then(() => this.#outbox.schedule());
      else this.#owed = 0;
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting.length === 0) return undefined;
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return taken;
  }

  #commitLater(question: Question): void {
    if (this.#commits.push(question) > 1) return;
    this.#whenOthersWrite(() => {
      const commits = this.#commits;
      this.#commits = [];
      // A microtask later, or the first transaction would be flushed before others of this turn are there.
      void Promise.resolve().then(() => {
        for (const commit of commits) void this.#answer(commit);
      });
    });
  }

  async #answer(question: Question): Promise<void> {
    const answer = await this.#do(question).catch(
      (error: unknown): Answer => ({
        id: question.id,
        type: 'refused',
        failure: failureOf(error),
        revision: this.#store.revision,
      }),
    );
    this.#owed = Math.max(this.#owed, answer.revision);
    this.#report({ type: 'answer', answer });
  }

  async #do(question: Question): Promise<Answer> {
    const { id } = question;
    const done = (revision: Revision) => ({ id, type: 'done' as const, revision });
    switch (question.type) {
      case 'latest':
        return done(await this.#store.latest());
      case 'commit':
        return done((await this.#store.commit(question.operations)).revision);
      case 'expirations':
        return { ...done(this.#store.revision), expirations: await this.#store.expirations() };
      case 'compact':
        await this.#store.compact(question.revision);
        return done(this.#store.revision);
    }
  }
}

/** Failures after which the newest state can still be reported. */
const MISSED: ReadonlySet<StoreFailure['code']> = new Set(['Compacted', 'Corrupt']);

function damagedOf({ failure }: StoreError): MirroredRecord[] {
  if (failure.code !== 'Corrupt' || failure.key === undefined) return [];
  const { key, revision = 1 as Revision, problem } = failure;
  return [{ key, value: NOTHING, modRevision: revision, createRevision: revision, version: 1, damage: problem }];
}

const NOTHING = new Uint8Array();

function merged(records: readonly MirroredRecord[], damaged: readonly MirroredRecord[]): readonly MirroredRecord[] {
  return damaged.length === 0 ? records : [...records, ...damaged];
}

function failureOf(error: unknown): StoreFailure {
  if (error instanceof StoreError) return error.failure;
  return { code: 'Unavailable', problem: error instanceof Error ? error.message : String(error) };
}

function sizeOf(records: readonly StoreRecord[]): number {
  return records.reduce((sum, { value }) => sum + RECORD_BYTES + value.length, 0);
}

function sizeOfBatch({ events }: WatchBatch): number {
  return events.reduce((sum, event) => sum + RECORD_BYTES + (event.type === 'put' ? event.record.value.length : 0), 0);
}
