import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file that only takes up room, so that there is some to give when the disk is full: forgetting history frees space,
 * but writing down what is forgotten needs a little first.
 */
export class SpaceReserve {
  readonly #directory: string;
  readonly #file: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, 'reserve');
  }

  /** Takes the room unless that would leave little for anything else. */
  take(): void {
    if (this.#exists() || this.available() < 4 * RESERVE_BYTES) return;
    const file = openSync(this.#file, 'w', 0o600);
    try {
      writeSync(file, Buffer.alloc(RESERVE_BYTES));
    } finally {
      closeSync(file);
    }
  }

  /** True when there was something to give. */
  give(): boolean {
    const existed = this.#exists();
    rmSync(this.#file, { force: true });
    return existed;
  }

  /** Bytes that are free on the disk. */
  available(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }

  /** So little is free that a write may have failed for lack of space. */
  isScarce(): boolean {
    return this.available() < RESERVE_BYTES;
  }

  #exists(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false }) !== undefined;
  }
}

const RESERVE_BYTES = 512 * 1024;
