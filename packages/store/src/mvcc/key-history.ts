import type { Revision } from '../revision.ts';

/** One write of one key: where its value lies in the engine and what must be known without reading it. */
export interface Version {
  readonly revision: Revision;
  /** The write's place among the writes of its transaction. */
  readonly sub: number;
  readonly createRevision: Revision;
  /** How often the key was written since its creation; 0 marks a deletion. */
  readonly version: number;
  /** CRC-32 of the value. */
  readonly checksum: number;
  /** Set when the key deletes itself. */
  readonly lease: Lease | undefined;
}

export interface Lease {
  readonly ttlMs: number;
  /** Wall-clock milliseconds, so that a deadline survives a restart. */
  readonly expiresAt: number;
}

/**
 * What happened to one key, oldest first.
 *
 * A key that was created at revision 2, updated at 5, deleted at 7 and created again at 9:
 *
 *     revision  2    5    7    9
 *     version   1    2    0    1
 *
 *     at(6) → 5      at(8) → absent      before(9) → absent
 *     compact(5) forgets 2; compact(7) forgets 2, 5 and 7, for a read at 7 finds nothing anyway.
 */
export class KeyHistory {
  readonly key: string;
  /** Revisions grow. Empty only after compaction took the last one, and then the index drops the key. */
  readonly #versions: Version[] = [];

  constructor(key: string) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return this.#versions.length === 0;
  }

  /** There is something here that a later compaction could take. */
  get isCompactable(): boolean {
    return this.#versions.length > 1 || this.#versions[0]?.version === 0;
  }

  /** The newest version, or undefined when the key does not exist now. */
  get newest(): Version | undefined {
    return livingVersion(this.#versions[this.#versions.length - 1]);
  }

  /** The version a read at `revision` sees. */
  at(revision: Revision): Version | undefined {
    return livingVersion(this.#versions[this.#lastUpTo(revision)]);
  }

  /** The version that stood right before `revision`. */
  before(revision: Revision): Version | undefined {
    return this.at((revision - 1) as Revision);
  }

  add(version: Version): void {
    this.#versions.push(version);
  }

  /** Forgets and returns the versions, deletions included, that no read at `revision` or later sees. */
  compact(revision: Revision): Version[] {
    const last = this.#lastUpTo(revision);
    if (last < 0) return [];
    const isDeletion = this.#versions[last]!.version === 0;
    return this.#versions.splice(0, isDeletion ? last + 1 : last);
  }

  #lastUpTo(revision: Revision): number {
    let index = this.#versions.length - 1;
    if (index < 0 || this.#versions[index]!.revision <= revision) return index;
    let low = 0;
    while (low < index) {
      const middle = (low + index) >>> 1;
      if (this.#versions[middle]!.revision <= revision) low = middle + 1;
      else index = middle;
    }
    return low - 1;
  }
}

function livingVersion(version: Version | undefined): Version | undefined {
  return version === undefined || version.version === 0 ? undefined : version;
}
