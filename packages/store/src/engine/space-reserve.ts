import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';

/** Free space with which the disk cannot fill up before the next check. */
const PLENTY_BYTES = 1024 * 1024 * 1024;
const CHECK_INTERVAL_MS = 100;

/**
 * A file that only occupies space, which can be freed when the disk is full: compaction frees space, but needs a little
 * to write it down first.
 */
export class SpaceReserve {
  static readonly bytes = 512 * 1024;
  readonly #directory: string;
  readonly #file: string;
  #isAllocated = false;
  #plentyUntilMs = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, 'reserve');
  }

  /** True when so much more than `bytes` is free that no care is needed. */
  canSpare(bytes: number): boolean {
    return this.available() >= bytes + 4 * SpaceReserve.bytes;
  }

  /** Allocates the reserve unless that would leave little space. */
  allocate(): void {
    if (this.#isAllocated) return;
    if (this.#size() < SpaceReserve.bytes) {
      if (this.available() < 4 * SpaceReserve.bytes) return;
      if (!this.#write()) {
        this.release();
        return;
      }
    }
    this.#isAllocated = true;
  }

  /** Frees the reserve. Returns whether there was one. */
  release(): boolean {
    const wasAllocated = this.#isAllocated;
    rmSync(this.#file, { force: true });
    this.#isAllocated = false;
    return wasAllocated;
  }

  /** True when far more than `bytes` is free. The disk is not asked every time: that takes as long as a small write. */
  hasPlentyFor(bytes: number): boolean {
    if (bytes > PLENTY_BYTES / 2) return false;
    const nowMs = realClock.monotonic();
    if (nowMs >= this.#plentyUntilMs && this.available() >= PLENTY_BYTES)
      this.#plentyUntilMs = nowMs + CHECK_INTERVAL_MS;
    return nowMs < this.#plentyUntilMs;
  }

  /** Bytes that `release` would free. */
  get held(): number {
    return this.#isAllocated ? SpaceReserve.bytes : 0;
  }

  /** Returns the free bytes of the disk. */
  available(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }

  /** True when so little is free that a write may have failed for lack of space. */
  isScarce(): boolean {
    return this.available() < SpaceReserve.bytes;
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Returns false when the space was taken meanwhile. */
  #write(): boolean {
    const file = openSync(this.#file, 'w', 0o600);
    try {
      return writeSync(file, Buffer.alloc(SpaceReserve.bytes)) === SpaceReserve.bytes;
    } catch {
      return false;
    } finally {
      closeSync(file);
    }
  }
}
