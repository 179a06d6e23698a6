import type { EngineBatch, ValueChange } from '../engine/engine.ts';
import { StoreError } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { CommitResult } from '../store.ts';
import type { Version } from './key-history.ts';
import type { KeyIndex } from './key-index.ts';
import { encodeChunk, type LogEntry } from './record.ts';
import { type Superblock, superblockChange } from './superblock.ts';
import { isForDeletion, type PreparedOperation } from './transaction.ts';

/** A transaction that waits for its result. */
export interface CommitRequest {
  readonly operations: readonly PreparedOperation[];
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Effect of a transaction on one key. */
export interface Change {
  readonly entry: LogEntry;
  /** Absent for a deletion. */
  readonly value: Uint8Array | undefined;
  /** The value as the engine stores it. */
  readonly sealed: Uint8Array | undefined;
  readonly previous: Version | undefined;
}

export interface SequencedTransaction {
  readonly revision: Revision;
  /** Empty when the transaction changed nothing. */
  readonly changes: readonly Change[];
  readonly request: CommitRequest;
}

/** A transaction that is refused because of a write of the same batch: it is answered when that write is durable. */
interface PendingRefusal {
  readonly request: CommitRequest;
  readonly error: StoreError;
}

/**
 * Transactions that become durable in one flush, decided one after the other: each sees the writes of those before it,
 * which are not visible outside yet.
 */
export class Batch {
  readonly transactions: SequencedTransaction[] = [];
  readonly refusals: PendingRefusal[] = [];
  readonly #index: KeyIndex;
  readonly #now: number;
  readonly #entries: LogEntry[] = [];
  readonly #values: ValueChange[] = [];
  /** Newest version of every key that this batch writes, deletions included. */
  readonly #written = new Map<string, Version>();
  #revision: Revision;
  #bytes = 0;
  #isForDeletion = true;

  constructor(index: KeyIndex, revision: Revision, now: number) {
    this.#index = index;
    this.#revision = revision;
    this.#now = now;
  }

  get isFull(): boolean {
    return this.#entries.length >= MAX_BATCH_WRITES || this.#bytes >= MAX_BATCH_BYTES;
  }

  /** True when there is something to flush. */
  get hasWrites(): boolean {
    return this.#entries.length > 0;
  }

  /** True when all writes are for deletion. */
  get isForDeletion(): boolean {
    return this.#isForDeletion;
  }

  /**
   * Decides a transaction: it joins the batch, or is answered at once when the answer depends on durable state only.
   */
  add(request: CommitRequest): void {
    const { operations } = request;
    const newest = operations.map(({ key }) => this.#newest(key));
    const conflict = operations.findIndex(({ expected }, index) => isConflict(expected, newest[index]));
    if (conflict < 0) this.#sequence(request, newest);
    else this.#refuse(request, operations[conflict]!, newest[conflict]);
  }

  /** Returns the changes to write, and the superblock that is valid once they are written. */
  encode(superblock: Superblock): { readonly batch: EngineBatch; readonly superblock: Superblock } {
    const { bytes, chunk } = encodeChunk(this.#entries, superblock.lastChain);
    const next = { ...superblock, last: chunk.last, lastChain: chunk.chainAfter };
    const log = [{ revision: chunk.first, bytes }, superblockChange(next)];
    return { batch: { log, values: this.#values, isForDeletion: this.#isForDeletion }, superblock: next };
  }

  #refuse(request: CommitRequest, { key, expected }: PreparedOperation, found: Version | undefined): void {
    const actual = found && { modRevision: found.revision, version: found.version };
    const error = new StoreError({ code: 'Conflict', key, expected: expected!, ...(actual && { actual }) });
    if (this.#written.has(key)) this.refusals.push({ request, error });
    else request.reject(error);
  }

  #sequence(request: CommitRequest, newest: readonly (Version | undefined)[]): void {
    const changes = this.#changesOf(request.operations, newest);
    if (changes.length > 0) this.#record(changes);
    else if (!this.hasWrites) {
      request.resolve({ revision: this.#revision });
      return;
    }
    this.transactions.push({ revision: this.#revision, changes, request });
    this.#isForDeletion &&= isForDeletion(request.operations);
  }

  #changesOf(operations: readonly PreparedOperation[], newest: readonly (Version | undefined)[]): Change[] {
    const revision = (this.#revision + 1) as Revision;
    const writes = countWrites(operations, newest);
    const changes: Change[] = [];
    for (let index = 0; index < operations.length; index++) {
      const operation = operations[index]!;
      const previous = newest[index];
      if (!hasEffect(operation, previous)) continue;
      const position = { revision, sub: changes.length, writes };
      if (operation.type === 'put') changes.push(this.#put(operation, position, previous));
      else
        changes.push({
          entry: deletion(operation.key, position, previous!),
          value: undefined,
          sealed: undefined,
          previous,
        });
    }
    return changes;
  }

  #put(operation: PreparedOperation & { type: 'put' }, position: WritePosition, previous: Version | undefined): Change {
    const { key, value, sealed, checksum, ttlMs } = operation;
    const entry: LogEntry = {
      key,
      revision: position.revision,
      sub: position.sub,
      writes: position.writes,
      createRevision: previous === undefined ? position.revision : previous.createRevision,
      version: previous === undefined ? 1 : previous.version + 1,
      checksum,
      lease: ttlMs === undefined ? undefined : { ttlMs, expiresAt: this.#now + ttlMs },
      held: undefined,
      heldIn: 0,
      summary: undefined,
    };
    return { entry, value, sealed, previous };
  }

  #record(changes: readonly Change[]): void {
    this.#revision = changes[0]!.entry.revision;
    for (const { entry, sealed } of changes) {
      this.#written.set(entry.key, entry);
      this.#entries.push(entry);
      if (sealed === undefined) continue;
      this.#values.push({ revision: entry.revision, sub: entry.sub, bytes: sealed });
      this.#bytes += sealed.length;
    }
  }

  #newest(key: string): Version | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return this.#index.find(key)?.newest;
    return written.version === 0 ? undefined : written;
  }
}

/** Bounds of a flush and of the work in one turn of the event loop; the rest waits for the next batch. */
const MAX_BATCH_WRITES = 1024;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

function isConflict(expected: Revision | undefined, newest: Version | undefined): boolean {
  return expected !== undefined && expected !== (newest === undefined ? 0 : newest.revision);
}

/** A put always changes something, a delete only what exists, a check nothing. */
function hasEffect({ type }: PreparedOperation, newest: Version | undefined): boolean {
  return type === 'put' || (type === 'delete' && newest !== undefined);
}

function countWrites(operations: readonly PreparedOperation[], newest: readonly (Version | undefined)[]): number {
  let writes = 0;
  for (let index = 0; index < operations.length; index++) if (hasEffect(operations[index]!, newest[index])) writes++;
  return writes;
}

interface WritePosition {
  readonly revision: Revision;
  readonly sub: number;
  readonly writes: number;
}

function deletion(key: string, { revision, sub, writes }: WritePosition, { createRevision }: Version): LogEntry {
  return {
    key,
    revision,
    sub,
    writes,
    createRevision,
    version: 0,
    checksum: 0,
    lease: undefined,
    held: undefined,
    heldIn: 0,
    summary: undefined,
  };
}
