import type { Version } from './key-history.ts';

/**
 * Values that were just written, or checked against their checksum, held in this process beside the versions they belong
 * to: what is read often is checked and fetched once. The newest are held, up to `maxBytes`; others are read and checked
 * again.
 *
 * Two generations: what is found in the old one joins the young one, and when that is full the old one is let go.
 */
export class VerifiedValues {
  readonly #generationBytes: number;
  #generation = 0;
  #young: Version[] = [];
  #youngBytes = 0;
  #old: Version[] = [];

  constructor(maxBytes = MAX_BYTES) {
    this.#generationBytes = maxBytes / 2;
  }

  find(version: Version): Uint8Array | undefined {
    const value = version.held;
    if (value !== undefined && version.heldIn !== this.#generation) this.add(version, value);
    return value;
  }

  /** `value` was found to be what was written, and nobody changes it any more. */
  add(version: Version, value: Uint8Array): void {
    if (this.#generationBytes !== Number.POSITIVE_INFINITY && !this.#makeRoom(version, value.length)) return;
    version.held = value;
    version.heldIn = this.#generation;
  }

  #makeRoom(version: Version, valueBytes: number): boolean {
    const bytes = valueBytes + ENTRY_BYTES;
    if (bytes > this.#generationBytes) return false;
    if (this.#youngBytes + bytes > this.#generationBytes) this.#turnOver();
    this.#young.push(version);
    this.#youngBytes += bytes;
    return true;
  }

  #turnOver(): void {
    for (const version of this.#old) if (version.heldIn !== this.#generation) version.held = undefined;
    this.#generation++;
    this.#old = this.#young;
    this.#young = [];
    this.#youngBytes = 0;
  }
}

const MAX_BYTES = 32 * 1024 * 1024;
/** What a value takes besides its bytes, roughly. */
const ENTRY_BYTES = 128;
