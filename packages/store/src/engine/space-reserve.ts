import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';

/** With so much free, nothing fills the disk before it is looked at again. */
const PLENTY_BYTES = 1024 * 1024 * 1024;
const LOOK_AGAIN_MS = 100;

/**
 * A file that only takes up room, so that there is some to give when the disk is full: forgetting history frees space,
 * but writing down what is forgotten needs a little first.
 */
export class SpaceReserve {
  static readonly bytes = 512 * 1024;
  readonly #directory: string;
  readonly #file: string;
  #isTaken = false;
  #plentyUntilMs = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, 'reserve');
  }

  /** There is so much more free than `bytes` that nobody needs to be careful. */
  canSpare(bytes: number): boolean {
    return this.available() >= bytes + 4 * SpaceReserve.bytes;
  }

  /** Takes the room unless that would leave little for anything else. */
  take(): void {
    if (this.#isTaken) return;
    if (this.#size() < SpaceReserve.bytes) {
      if (this.available() < 4 * SpaceReserve.bytes) return;
      if (!this.#write()) {
        this.give();
        return;
      }
    }
    this.#isTaken = true;
  }

  /** True when there was something to give. */
  give(): boolean {
    const wasTaken = this.#isTaken;
    rmSync(this.#file, { force: true });
    this.#isTaken = false;
    return wasTaken;
  }

  /** There is far more free than that. The disk is not asked every time: that takes as long as a small write. */
  hasPlentyFor(bytes: number): boolean {
    if (bytes > PLENTY_BYTES / 2) return false;
    const nowMs = realClock.monotonic();
    if (nowMs >= this.#plentyUntilMs && this.available() >= PLENTY_BYTES) this.#plentyUntilMs = nowMs + LOOK_AGAIN_MS;
    return nowMs < this.#plentyUntilMs;
  }

  /** Bytes that `give` would free. */
  get held(): number {
    return this.#isTaken ? SpaceReserve.bytes : 0;
  }

  /** Bytes that are free on the disk. */
  available(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }

  /** So little is free that a write may have failed for lack of space. */
  isScarce(): boolean {
    return this.available() < SpaceReserve.bytes;
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** False when the room was taken by somebody else meanwhile. */
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
