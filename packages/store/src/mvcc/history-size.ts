import type { Revision } from '../revision.ts';

/** Size of history beyond which the store compacts the older half by itself. */
export interface HistoryLimits {
  /** Memory of all versions that are kept for history. */
  readonly maxMemoryBytes: number;
  /** Bytes that those versions have in the engine. */
  readonly maxDiskBytes: number;
}

export const DEFAULT_HISTORY_LIMITS: HistoryLimits = {
  maxMemoryBytes: 128 * 1024 * 1024,
  maxDiskBytes: 1024 * 1024 * 1024,
};

/** Approximate memory of one version besides its key and value. */
export const VERSION_BYTES = 256;

/**
 * Size of the writes since the last compaction: an upper bound of history. Writes are summed up in stretches, at most
 * some `2 * STRETCHES`, so that the size of any part is known without an entry per write.
 */
export class HistorySize {
  readonly #limits: HistoryLimits;
  #stretches: Stretch[] = [];
  #memoryBytes = 0;
  #diskBytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  get diskBytes(): number {
    return this.#diskBytes;
  }

  get isOverLimit(): boolean {
    const { maxMemoryBytes, maxDiskBytes } = this.#limits;
    return this.#memoryBytes > maxMemoryBytes || this.#diskBytes > maxDiskBytes;
  }

  add(revision: Revision, memoryBytes: number, diskBytes: number): void {
    const current = this.#currentFor(revision);
    current.last = revision;
    current.memoryBytes += memoryBytes;
    current.diskBytes += diskBytes;
    this.#memoryBytes += memoryBytes;
    this.#diskBytes += diskBytes;
  }

  /** Revision before which about half of the history lies. */
  get middle(): Revision | undefined {
    let memoryBytes = 0;
    let diskBytes = 0;
    for (const stretch of this.#stretches) {
      memoryBytes += stretch.memoryBytes;
      diskBytes += stretch.diskBytes;
      if (memoryBytes * 2 >= this.#memoryBytes && diskBytes * 2 >= this.#diskBytes) return stretch.last;
    }
    return undefined;
  }

  /** Removes history before `revision`. */
  forget(revision: Revision): void {
    const kept = this.#stretches.filter(({ last }) => last > revision);
    this.#memoryBytes = 0;
    this.#diskBytes = 0;
    for (const { memoryBytes, diskBytes } of kept) {
      this.#memoryBytes += memoryBytes;
      this.#diskBytes += diskBytes;
    }
    this.#stretches = kept;
  }

  /** Returns the stretch of a revision. A transaction is one revision and is never split. */
  #currentFor(revision: Revision): Stretch {
    const last = this.#stretches.at(-1);
    if (last !== undefined && (last.last === revision || !this.#isFull(last))) return last;
    const next = { last: revision, memoryBytes: 0, diskBytes: 0 };
    this.#stretches.push(next);
    return next;
  }

  #isFull({ memoryBytes, diskBytes }: Stretch): boolean {
    const { maxMemoryBytes, maxDiskBytes } = this.#limits;
    return memoryBytes >= maxMemoryBytes / STRETCHES || diskBytes >= maxDiskBytes / STRETCHES;
  }
}

const STRETCHES = 64;

interface Stretch {
  last: Revision;
  memoryBytes: number;
  diskBytes: number;
}
