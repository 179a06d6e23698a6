import type { Version } from './key-history.ts';

/**
 * Values that were just written, or verified by their checksum, held in memory beside their versions, so that frequent
 * reads fetch and check them once. The newest are held, up to `maxBytes`; others are read and checked again.
 *
 * There are two generations: a value that is found in the old one moves to the young one, and when that is full the old
 * one is dropped. Compaction lets go of what it takes.
 */
export class VerifiedValues {
  readonly #generationBytes: number;
  #generation = 0;
  #young: Version[] = [];
  #youngBytes = 0;
  #old: Version[] = [];
  /** Entries that were let go of, and are still in a generation. */
  #forgotten = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#generationBytes = maxBytes / 2;
  }

  find(version: Version): Uint8Array | undefined {
    const value = version.held;
    if (value !== undefined && version.heldIn !== this.#generation) this.add(version, value);
    return value;
  }

  /** Holds a verified value, which must not change any more. */
  add(version: Version, value: Uint8Array): void {
    if (this.#generationBytes !== Number.POSITIVE_INFINITY && !this.#makeRoom(version, value.length)) return;
    version.held = value;
    version.heldIn = this.#generation;
  }

  /** Lets go of a version that no read sees any more: held, it would only take room until others displace it. */
  forget(version: Version): void {
    if (version.held === undefined || this.#generationBytes === Number.POSITIVE_INFINITY) return;
    if (version.heldIn === this.#generation) this.#youngBytes -= version.held.length + ENTRY_BYTES;
    version.held = undefined;
    this.#forgotten++;
    if (this.#forgotten > FORGOTTEN_AT_ONCE && this.#forgotten > (this.#young.length + this.#old.length) / 2)
      this.#sweep();
  }

  #sweep(): void {
    this.#young = this.#young.filter(({ held }) => held !== undefined);
    this.#old = this.#old.filter(({ held, heldIn }) => held !== undefined && heldIn !== this.#generation);
    this.#forgotten = 0;
  }

  #makeRoom(version: Version, valueBytes: number): boolean {
    const bytes = valueBytes + ENTRY_BYTES;
    if (bytes > this.#generationBytes) return false;
    if (this.#youngBytes + bytes > this.#generationBytes) this.#rotate();
    this.#young.push(version);
    this.#youngBytes += bytes;
    return true;
  }

  #rotate(): void {
    for (const version of this.#old) if (version.heldIn !== this.#generation) version.held = undefined;
    this.#generation++;
    this.#old = this.#young;
    this.#young = [];
    this.#youngBytes = 0;
  }
}

const MAX_BYTES = 32 * 1024 * 1024;
/** Approximate size of an entry besides its bytes. */
const ENTRY_BYTES = 128;
const FORGOTTEN_AT_ONCE = 1000;
