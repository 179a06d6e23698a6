import type { Version } from './key-history.ts';

/**
 * Values that were checked against their checksum, held in this process: what is read often is checked and fetched
 * once. The newest are held, up to `maxBytes`; others are read and checked again.
 *
 * Two generations: what is found in the old one moves to the young one, and when that is full the old one is let go.
 */
export class VerifiedValues {
  readonly #generationBytes: number;
  #young = new Map<Version, Uint8Array>();
  #youngBytes = 0;
  #old = new Map<Version, Uint8Array>();

  constructor(maxBytes = MAX_BYTES) {
    this.#generationBytes = maxBytes / 2;
  }

  find(version: Version): Uint8Array | undefined {
    const value = this.#young.get(version);
    if (value !== undefined) return value;
    const old = this.#old.get(version);
    if (old !== undefined) this.add(version, old);
    return old;
  }

  /** `value` was found to be what was written, and nobody changes it any more. */
  add(version: Version, value: Uint8Array): void {
    const bytes = value.length + ENTRY_BYTES;
    if (this.#youngBytes + bytes > this.#generationBytes) this.#turnOver();
    if (bytes > this.#generationBytes) return;
    this.#young.set(version, value);
    this.#youngBytes += bytes;
  }

  #turnOver(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

const MAX_BYTES = 32 * 1024 * 1024;
/** What a value takes besides its bytes, roughly. */
const ENTRY_BYTES = 128;
