import { yieldToEventLoop } from '@pintle/async';
import type { Engine, LogChange, ValueChange } from '../engine/engine.ts';
import { StoreError } from '../errors.ts';
import { FIRST_REVISION, type Revision } from '../revision.ts';
import type { Version } from './key-history.ts';
import type { KeyIndex } from './key-index.ts';
import { encodeChunk, type LogChunk, readChunk, readEntries } from './record.ts';
import { changeBase, type Superblock, superblockChange } from './superblock.ts';
import type { Maintenance, Writer } from './writer.ts';

interface CompactorOptions {
  readonly engine: Engine;
  readonly index: KeyIndex;
  readonly writer: Writer;
  /** Called once a compaction is durable: from then on earlier reads are refused. */
  readonly refuseBefore: (revision: Revision) => void;
  /** Called for each version that reads do not see any more. */
  readonly onForgotten: (version: Version) => void;
  /** Called when nothing is left of the compacted history. */
  readonly onSwept: (revision: Revision) => void;
  /** Resolves when no read is under way that began before `revision` was refused. */
  readonly readsBefore: (revision: Revision) => Promise<void>;
}

/**
 * Compacts history in two steps, so that a crash at any point leaves a store that opens and goes on.
 *
 * 1. `mark`: the superblock has `revision` as the beginning of history; the log chunk that straddles it is cut in two.
 *    From here on the outcome is decided.
 * 2. `sweep`: versions that cannot be read any more are removed, oldest first, in small durable batches, each with a
 *    superblock that accounts for exactly what is left. Oldest first means that a deletion goes after the writes it
 *    hides: no crash brings a deleted key back.
 *
 * An interrupted sweep is resumed when the store opens.
 */
export class Compactor {
  readonly #options: CompactorOptions;
  /** Versions that are not in the index any more, but still in the engine. */
  #leftovers: RemovableWrite[] = [];
  #tail: Promise<void> = Promise.resolve();

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Runs one compaction at a time. One that is behind the last does nothing. */
  compact(revision: Revision): Promise<void> {
    return this.#enqueue(async () => {
      const { compacted, last } = this.#options.writer.superblock;
      if (revision > last) throw new StoreError({ code: 'Future', requested: revision, current: last });
      if (revision > compacted) await this.#mark(revision);
      await this.#sweep();
    });
  }

  /** Resumes after a crash. Versions that cannot be removed now are removed by the next compaction. */
  resume(): void {
    this.#enqueue(() => this.#sweep()).catch(() => undefined);
  }

  async drain(): Promise<void> {
    await this.#tail;
  }

  /** Yields to the event loop first, so that compacting in a loop cannot keep writes from finishing. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(yieldToEventLoop).then(work);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  async #mark(revision: Revision): Promise<void> {
    const { writer, engine, refuseBefore, readsBefore } = this.#options;
    const added = await this.#chunksUpTo(revision);
    await writer.maintain((superblock) => mark(engine, superblock, added, revision));
    refuseBefore(revision);
    await readsBefore(revision);
  }

  /** Returns the complete chunks after the last compaction that end at or before `revision`. */
  async #chunksUpTo(revision: Revision): Promise<LogChunk[]> {
    const chunks: LogChunk[] = [];
    let from = (this.#options.writer.superblock.compacted + 1) as Revision;
    while (from <= revision) {
      const slice = readSlice(this.#options.engine, from, revision);
      chunks.push(...slice.filter((chunk) => chunk.last <= revision));
      from = (slice[slice.length - 1]!.last + 1) as Revision;
      await yieldToEventLoop();
    }
    return chunks;
  }

  async #sweep(): Promise<void> {
    await this.#forget();
    const oldestFirst = await sortCooperatively(this.#leftovers);
    let removed = 0;
    let most = MAX_REMOVALS;
    try {
      while (removed < oldestFirst.length) {
        const taken = await this.#remove(oldestFirst.slice(removed, removed + most));
        removed += taken;
        // Starts with a few: the space that they free lets more be removed at once.
        most = taken === 0 ? Math.floor(Math.min(most, REMOVALS_PER_BATCH) / 8) : Math.min(most * 2, MAX_REMOVALS);
      }
    } finally {
      this.#leftovers = oldestFirst.slice(removed);
    }
    this.#options.onSwept(this.#options.writer.superblock.compacted);
  }

  /** Returns how many of the oldest were removed: none when there is no space to write down so many removals. */
  async #remove(oldest: readonly RemovableWrite[]): Promise<number> {
    let taken = 0;
    try {
      await this.#options.writer.maintain((superblock) => {
        const removal = remove(this.#options.engine, superblock, oldest);
        taken = removal.taken;
        return removal;
      });
      return taken;
    } catch (error) {
      const isNoSpace = error instanceof StoreError && error.failure.code === 'NoSpace';
      if (isNoSpace && oldest.length >= 8) return 0;
      throw error;
    }
  }

  /** Removes versions that are no longer readable from the index. */
  async #forget(): Promise<void> {
    const { index, writer, onForgotten } = this.#options;
    const { compacted } = writer.superblock;
    let visited = 0;
    for (const history of index.compactable) {
      for (const version of index.compact(history, compacted)) {
        this.#leftovers.push(version);
        onForgotten(version);
      }
      if (++visited % HISTORIES_PER_TURN === 0) await yieldToEventLoop();
    }
  }
}

/** A write to remove; `version` is 0 for a deletion, which has no value. */
type RemovableWrite = Pick<Version, 'revision' | 'sub' | 'version'>;

const HISTORIES_PER_TURN = 1000;
const CHUNKS_PER_TURN = 1000;
const REMOVALS_PER_BATCH = 256;
/**
 * Removals of a batch at most. It extends to the end of its last chunk, and a chunk has at most as many entries as a
 * flush has writes.
 */
const MAX_REMOVALS = 16_384;
const RUN_LENGTH = 2048;
const MERGES_PER_TURN = 16_384;

/** Returns log chunks from the one that holds `from`, so many that the event loop is not held up. */
function readSlice(engine: Engine, from: Revision, to: Revision): LogChunk[] {
  const slice: LogChunk[] = [];
  engine.scanLog(from, (revision, bytes) => {
    if (revision === FIRST_REVISION) return true;
    const chunk = readChunk(revision, bytes);
    if (chunk.first > to) return false;
    if (chunk.last >= from) slice.push(chunk);
    return slice.length < CHUNKS_PER_TURN;
  });
  return slice;
}

function mark(
  engine: Engine,
  superblock: Superblock,
  whole: readonly LogChunk[],
  revision: Revision,
): ReturnType<Maintenance> {
  const { log, added, chain } = cutChunk(engine, superblock, whole, revision);
  const next = {
    ...changeBase(superblock, { added: [...whole, ...added] }),
    compacted: revision,
    compactedChain: chain,
  };
  return { batch: { log: [...log, superblockChange(next)], values: [], reclaims: true }, superblock: next };
}

/** Cuts the chunk that extends beyond `revision`, if there is one, and returns the chain right after `revision`. */
function cutChunk(engine: Engine, superblock: Superblock, whole: readonly LogChunk[], revision: Revision) {
  const end = whole[whole.length - 1];
  if ((end?.last ?? superblock.compacted) === revision)
    return { log: [], added: [], chain: end?.chainAfter ?? superblock.compactedChain };
  const { chunk, entries } = chunkAt(engine, revision);
  const isKept = entries.findIndex((entry) => entry.revision > revision);
  const before = encodeChunk(entries.slice(0, isKept), chunk.chainBefore);
  const after = encodeChunk(entries.slice(isKept), before.chunk.chainAfter);
  const log: LogChange[] = [before, after].map(({ bytes, chunk: part }) => ({ revision: part.first, bytes }));
  return { log, added: [before.chunk], chain: before.chunk.chainAfter };
}

/** Removes the oldest leftovers: as many as fit a batch, but all of one chunk. */
function remove(
  engine: Engine,
  superblock: Superblock,
  leftovers: readonly RemovableWrite[],
): ReturnType<Maintenance> & { readonly taken: number } {
  const log: LogChange[] = [];
  const values: ValueChange[] = [];
  let next = superblock;
  let taken = 0;
  while (taken < leftovers.length && taken < REMOVALS_PER_BATCH) {
    const { chunk, entries } = chunkAt(engine, leftovers[taken]!.revision);
    const gone = new Set<string>();
    for (; taken < leftovers.length && leftovers[taken]!.revision <= chunk.last; taken++) {
      const { revision, sub, version } = leftovers[taken]!;
      gone.add(`${revision}/${sub}`);
      if (version > 0) values.push({ revision, sub, bytes: undefined });
    }
    const kept = entries.filter(({ revision, sub }) => !gone.has(`${revision}/${sub}`));
    const rewritten = kept.length === 0 ? undefined : encodeChunk(kept, 0, chunk);
    log.push({ revision: chunk.first, bytes: rewritten?.bytes });
    next = changeBase(next, { removed: [chunk], added: rewritten ? [rewritten.chunk] : [] });
  }
  return { batch: { log: [...log, superblockChange(next)], values, reclaims: true }, superblock: next, taken };
}

/** Returns the chunk that holds `revision`, with its entries. */
function chunkAt(engine: Engine, at: Revision) {
  let found: { chunk: LogChunk; entries: ReturnType<typeof readEntries> } | undefined;
  engine.scanLog(at, (revision, bytes) => {
    const chunk = readChunk(revision, bytes);
    found = { chunk, entries: readEntries(bytes, chunk.count) };
    return false;
  });
  if (found === undefined || found.chunk.last < at)
    throw new StoreError({ code: 'Corrupt', revision: at, problem: 'the log has a gap' });
  return found;
}

/** Merge sort by revision and sub that yields to the event loop. */
async function sortCooperatively(writes: readonly RemovableWrite[]): Promise<RemovableWrite[]> {
  let runs: RemovableWrite[][] = [];
  for (let at = 0; at < writes.length; at += RUN_LENGTH) {
    runs.push(writes.slice(at, at + RUN_LENGTH).sort(compare));
    await yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: RemovableWrite[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await mergeCooperatively(runs[at]!, runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeCooperatively(
  a: readonly RemovableWrite[],
  b: readonly RemovableWrite[],
): Promise<RemovableWrite[]> {
  const merged: RemovableWrite[] = [];
  let fromA = 0;
  let fromB = 0;
  while (fromA < a.length || fromB < b.length) {
    const takeA = fromB >= b.length || (fromA < a.length && compare(a[fromA]!, b[fromB]!) <= 0);
    merged.push(takeA ? a[fromA++]! : b[fromB++]!);
    if (merged.length % MERGES_PER_TURN === 0) await yieldToEventLoop();
  }
  return merged;
}

function compare(a: RemovableWrite, b: RemovableWrite): number {
  return a.revision - b.revision || a.sub - b.sub;
}
