import type { Engine } from '../engine/engine.ts';
import { FIRST_REVISION, type Revision } from '../revision.ts';
import { KeyIndex } from './key-index.ts';
import { corruptLog, type LogChunk, type LogEntry, readChunk, readEntries } from './record.ts';
import { changeBase, EMPTY_SUPERBLOCK, readSuperblock, type Superblock } from './superblock.ts';

export interface RecoveredStore {
  readonly superblock: Superblock;
  readonly index: KeyIndex;
  /** Entries after the last compaction, in order. */
  readonly history: readonly LogEntry[];
}

/**
 * Reads the log of an engine; undefined when it was never written. Throws Corrupt unless the log is exactly what was
 * written: every chunk intact, in place and accounted for. Values are checked when they are read.
 */
export function recover(engine: Engine): RecoveredStore | undefined {
  const superblock = readSuperblock(engine);
  if (superblock === undefined) return undefined;
  const writes = readWrites(engine, superblock);
  const history = writes.filter(({ revision }) => revision > superblock.compacted);
  return { superblock, index: KeyIndex.load(writes), history };
}

function readWrites(engine: Engine, superblock: Superblock): LogEntry[] {
  const writes: LogEntry[] = [];
  const audit = new LogAudit(superblock);
  engine.scanLog(FIRST_REVISION, (revision, bytes) => {
    if (revision === FIRST_REVISION) return true;
    const chunk = readChunk(revision, bytes);
    const entries = readEntries(bytes, chunk.count);
    audit.check(chunk, entries);
    for (const entry of entries) writes.push(entry);
    return true;
  });
  audit.finish();
  return writes;
}

/** Checks the log from its beginning and throws Corrupt at the first inconsistency. */
class LogAudit {
  readonly #superblock: Superblock;
  #base = EMPTY_SUPERBLOCK;
  #last: Revision;
  #chain: number;

  constructor(superblock: Superblock) {
    this.#superblock = superblock;
    this.#last = superblock.compacted;
    this.#chain = superblock.compactedChain;
  }

  check(chunk: LogChunk, entries: readonly LogEntry[]): void {
    if (chunk.last <= this.#superblock.compacted) {
      this.#base = changeBase(this.#base, { added: [chunk] });
      return;
    }
    if (chunk.first !== this.#last + 1)
      throw corruptLog(chunk.first, `the log goes from ${this.#last} to ${chunk.first}`);
    if (chunk.chainBefore !== this.#chain)
      throw corruptLog(chunk.first, 'a log record does not follow its predecessor');
    checkTransactions(chunk, entries);
    this.#last = chunk.last;
    this.#chain = chunk.chainAfter;
  }

  finish(): void {
    const { baseChunks, baseSum, last, lastChain } = this.#superblock;
    if (this.#base.baseChunks !== baseChunks || this.#base.baseSum !== baseSum)
      throw corruptLog(this.#superblock.compacted, 'compacted log records are missing or changed');
    if (this.#last !== last || this.#chain !== lastChain)
      throw corruptLog(last, `the log ends at ${this.#last} instead of ${last}`);
  }
}

/** Throws unless every revision of the chunk is there with all its writes, in order. */
function checkTransactions(chunk: LogChunk, entries: readonly LogEntry[]): void {
  let revision = chunk.first - 1;
  let missing = 0;
  let sub = 0;
  for (const entry of entries) {
    if (missing === 0) {
      revision++;
      sub = 0;
      missing = entry.writes;
    }
    if (entry.revision !== revision || entry.sub !== sub || missing === 0)
      throw corruptLog(chunk.first, 'a transaction is incomplete');
    sub++;
    missing--;
  }
  if (missing > 0 || revision !== chunk.last) throw corruptLog(chunk.first, 'a transaction is incomplete');
}
