import type { Engine } from '../engine/engine.ts';
import type { KeyRange } from '../key-range.ts';
import { FIRST_REVISION, type Revision } from '../revision.ts';
import type { StoreEvent, StoreRecord, WatchBatch } from '../store.ts';
import { rangeFilter } from '../watch/range-table.ts';
import type { HistorySlice } from '../watch/watcher.ts';
import type { Version } from './key-history.ts';
import type { KeyIndex } from './key-index.ts';
import { type LogEntry, readChunk, readEntries } from './record.ts';

/** Reads past events from the log, for watches that are not live. */
export class HistoryReader {
  readonly #engine: Engine;
  readonly #index: KeyIndex;
  readonly #read: (key: string, version: Version) => StoreRecord;

  constructor(engine: Engine, index: KeyIndex, read: (key: string, version: Version) => StoreRecord) {
    this.#engine = engine;
    this.#index = index;
    this.#read = read;
  }

  /**
   * Returns the matching batches after `after` and up to `to`, or as many as one turn of the event loop should read.
   */
  read(range: KeyRange, after: Revision, to: Revision): HistorySlice {
    const slice = new Slice(after, rangeFilter(range), (entry) => this.#toEvent(entry));
    this.#engine.scanLog((after + 1) as Revision, (revision, bytes) => {
      if (revision === FIRST_REVISION) return true;
      if (revision > to) return false;
      const chunk = readChunk(revision, bytes);
      for (const entry of readEntries(bytes, chunk.count)) {
        if (entry.revision <= after) continue;
        if (entry.revision > to || !slice.add(entry)) return false;
      }
      return true;
    });
    return slice.finish();
  }

  #toEvent(entry: LogEntry): StoreEvent {
    const { key, revision } = entry;
    const before = this.#index.find(key)?.before(revision);
    const previous = before && this.#read(key, before);
    if (entry.version === 0) return { type: 'delete', key, revision, previous: previous! };
    return { type: 'put', record: this.#read(key, entry), ...(previous && { previous }) };
  }
}

/** Collects complete transactions up to its limits. */
class Slice {
  readonly #matches: (key: string) => boolean;
  readonly #toEvent: (entry: LogEntry) => StoreEvent;
  readonly #batches: WatchBatch[] = [];
  #events: StoreEvent[] = [];
  #through: Revision;
  #entries = 0;

  constructor(after: Revision, matches: (key: string) => boolean, toEvent: (entry: LogEntry) => StoreEvent) {
    this.#through = after;
    this.#matches = matches;
    this.#toEvent = toEvent;
  }

  /** Returns false when the slice is full and the entry was not added. */
  add(entry: LogEntry): boolean {
    if (entry.revision !== this.#through) {
      this.#closeTransaction();
      if (this.#batches.length >= BATCHES_PER_SLICE || this.#entries >= ENTRIES_PER_SLICE) return false;
      this.#through = entry.revision;
    }
    this.#entries++;
    if (this.#matches(entry.key)) this.#events.push(this.#toEvent(entry));
    return true;
  }

  finish(): HistorySlice {
    this.#closeTransaction();
    return { batches: this.#batches, through: this.#through };
  }

  #closeTransaction(): void {
    if (this.#events.length === 0) return;
    this.#batches.push({ revision: this.#through, events: this.#events });
    this.#events = [];
  }
}

const BATCHES_PER_SLICE = 64;
const ENTRIES_PER_SLICE = 1000;
