import { yieldToEventLoop } from '@pintle/async';
import { StoreError } from '../errors.ts';
import { type KeyRange, keyAfter } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type {
  RangeOptions,
  RangeResult,
  ReadOptions,
  RecordSelection,
  StoreRecord,
  SummarySelection,
} from '../store.ts';
import type { Version } from './key-history.ts';
import type { KeyIndex } from './key-index.ts';

/** Source of snapshots. */
export interface SnapshotSource {
  /** Index that reads begin on; a long read ends on the one it began on. */
  readonly index: () => KeyIndex;
  readonly revision: () => Revision;
  /** Returns the revision to read at. Throws Compacted, Future or Unavailable. */
  readonly snapshot: (requested: Revision | undefined) => Revision;
  /** Throws Corrupt when the value is not what was written. */
  readonly read: (key: string, version: Version) => StoreRecord;
  /** Returns how much more effort than skipping a key the first read of a version is. Default: none. */
  readonly effortOf?: (version: Version) => number;
}

/** Reads ranges of one snapshot, a slice per turn of the event loop. */
export class SnapshotReader {
  readonly #source: SnapshotSource;
  /** Reads that take several turns of the event loop. Compaction waits for those that it would affect. */
  readonly #longReads = new Set<LongRead>();

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  async range(range: KeyRange, options: RangeOptions): Promise<RangeResult> {
    const { limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, select } = options;
    const records: StoreRecord[] = [];
    let bytes = 0;
    let more = false;
    const revision = await this.#walk(range, options, (key, version, isFirst) => {
      more = records.length >= limit || bytes >= maxBytes;
      if (more) return STOP;
      if (select !== undefined && !mayBeSelected(select, key, version)) return 0;
      const openingEffort = this.#source.effortOf?.(version) ?? 0;
      const record = this.#readOrReport(key, version, options.onDamaged);
      if (record === undefined) return openingEffort;
      let effort = openingEffort + record.value.length / BYTES_LIKE_A_KEY;
      if (isSummaryMissing(select?.values, version)) {
        if (record.value.length >= LARGE_VALUE_BYTES && !isFirst) return LATER;
        effort += SUMMARY_EFFORT + record.value.length / BYTES_SUMMARIZED_LIKE_A_KEY;
        if (!isSummarySelected(select!.values!, record, version)) return effort;
      }
      records.push(record);
      bytes += record.value.length;
      return effort;
    });
    return { records, more, revision };
  }

  async count(range: KeyRange, options: ReadOptions): Promise<number> {
    let count = 0;
    const isWhole = range.start === '' && range.end === undefined;
    if (isWhole && this.#source.snapshot(options.revision) === this.#source.revision())
      return this.#source.index().living;
    await this.#walk(range, options, () => {
      count++;
      return 0;
    });
    return count;
  }

  /** Resolves when no read is under way that began at an earlier revision. */
  async readsBefore(revision: Revision): Promise<void> {
    await Promise.all([...this.#longReads].filter((read) => read.revision < revision).map((read) => read.finished));
  }

  /** Like `read`, but reports a damaged record to `onDamaged`, if given, and returns undefined. */
  #readOrReport(key: string, version: Version, onDamaged: RangeOptions['onDamaged']): StoreRecord | undefined {
    if (onDamaged === undefined) return this.#source.read(key, version);
    try {
      return this.#source.read(key, version);
    } catch (error) {
      if (!(error instanceof StoreError) || error.failure.code !== 'Corrupt') throw error;
      onDamaged(error);
      return undefined;
    }
  }

  /** Visits the keys that exist at a snapshot, a slice per turn of the event loop, until `visit` stops it. */
  async #walk(range: KeyRange, options: WalkOptions, visit: Visit): Promise<Revision> {
    const { turn = yieldToEventLoop, signal } = options;
    signal?.throwIfAborted();
    const revision = this.#source.snapshot(options.revision);
    const index = this.#source.index();
    let rest = walkSlice(index, range, revision, visit, { isSeparateTurn: false });
    if (rest === undefined) return revision;
    const read = this.#beginLongRead(revision);
    try {
      while (rest !== undefined) {
        await turn();
        signal?.throwIfAborted();
        rest = walkSlice(index, rest, revision, visit, { isSeparateTurn: true });
      }
      return revision;
    } finally {
      this.#longReads.delete(read);
      read.finish();
    }
  }

  #beginLongRead(revision: Revision): LongRead {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const read = { revision, finished, finish };
    this.#longReads.add(read);
    return read;
  }
}

/** Returns the rest of the range, if there is one. */
function walkSlice(
  index: KeyIndex,
  range: KeyRange,
  revision: Revision,
  visit: Visit,
  { isSeparateTurn }: { readonly isSeparateTurn: boolean },
): KeyRange | undefined {
  let effort = 0;
  let rest: KeyRange | undefined;
  index.walk(range, (history) => {
    const version = history.at(revision);
    const more = version === undefined ? 0 : visit(history.key, version, isSeparateTurn && effort === 0);
    if (more === LATER) {
      rest = { ...range, start: history.key };
      return false;
    }
    effort += 1 + more;
    if (effort < EFFORT_PER_TURN) return true;
    if (effort !== STOP) rest = { ...range, start: keyAfter(history.key) };
    return false;
  });
  return rest;
}

interface LongRead {
  readonly revision: Revision;
  readonly finished: Promise<void>;
  readonly finish: () => void;
}

/**
 * Processes a key and returns how much more effort that was than skipping it; or STOP, or LATER to be called again with
 * the key first in another turn.
 */
type Visit = (key: string, version: Version, isFirst: boolean) => number;

type WalkOptions = Pick<RangeOptions, 'revision' | 'signal' | 'turn'>;

const STOP = Number.POSITIVE_INFINITY;
const LATER = Number.NEGATIVE_INFINITY;
/** Effort of one turn: so many keys without values, or 4 MiB of values, take about a millisecond or two. */
const EFFORT_PER_TURN = 1024;
const BYTES_LIKE_A_KEY = 4096;
const SUMMARY_EFFORT = 4;
const BYTES_SUMMARIZED_LIKE_A_KEY = 256;
/**
 * Size from which a value is summarized in a separate turn: ranges that begin together do not do it in the same turn.
 */
const LARGE_VALUE_BYTES = 64 * 1024;

/** False when the key, or its cached summary, rules the record out before its value is read. */
function mayBeSelected({ hasKey, values }: RecordSelection, key: string, { summary }: Version): boolean {
  if (hasKey !== undefined && !hasKey(key)) return false;
  return values === undefined || summary?.by !== values.summarizer || values.matches(summary);
}

function isSummaryMissing(values: SummarySelection | undefined, { summary }: Version): boolean {
  return values !== undefined && summary?.by !== values.summarizer;
}

function isSummarySelected(values: SummarySelection, record: StoreRecord, version: Version): boolean {
  const summary = values.summarizer.summarize(record);
  if (summary.by === values.summarizer) version.summary = summary;
  return values.matches(summary);
}
