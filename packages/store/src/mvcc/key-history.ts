import type { Revision } from '../revision.ts';
import type { Summary } from '../store.ts';

/** One write of one key: the position of its value in the engine, and what must be known without reading it. */
export interface Version {
  readonly revision: Revision;
  /** Position of the write in its transaction. */
  readonly sub: number;
  readonly createRevision: Revision;
  /** Number of writes since the creation of the key; 0 marks a deletion. */
  readonly version: number;
  /** CRC-32 of the value. */
  readonly checksum: number;
  /** Present when the key expires. */
  readonly lease: Lease | undefined;
  /** The value, while `VerifiedValues` holds it, or always in a replica; no other code reads or changes this. */
  held: Uint8Array | undefined;
  /** Generation of `VerifiedValues` that holds it; in a replica, whether it is still sealed. */
  heldIn: number;
  /** Last summary of the value. */
  summary: Summary | undefined;
}

export interface Lease {
  readonly ttlMs: number;
  /** Wall-clock milliseconds, so that a deadline survives a restart. */
  readonly expiresAt: number;
}

/**
 * Versions of one key, oldest first.
 *
 * A key that was created at revision 2, updated at 5, deleted at 7 and created again at 9:
 *
 *     revision  2    5    7    9
 *     version   1    2    0    1
 *
 *     at(6) → 5      at(8) → absent      before(9) → absent
 *     compact(5) removes 2; compact(7) removes 2, 5 and 7, because a read at 7 finds nothing anyway.
 */
export class KeyHistory {
  readonly key: string;
  /** Newest version, deletions included. Absent only after compaction, and then the index drops the key. */
  #last: Version | undefined;
  /** Earlier versions, oldest first. Absent for most keys, which have none. */
  #older: Version[] | undefined;

  constructor(key: string) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /** True when a later compaction could remove something. */
  get isCompactable(): boolean {
    return this.#older !== undefined || this.#last?.version === 0;
  }

  /** Newest version; undefined when the key does not exist now. */
  get newest(): Version | undefined {
    return livingVersion(this.#last);
  }

  /** Returns the version that a read at `revision` sees. */
  at(revision: Revision): Version | undefined {
    if (this.#last !== undefined && this.#last.revision <= revision) return livingVersion(this.#last);
    return this.#older && livingVersion(this.#older[lastUpTo(this.#older, revision)]);
  }

  /** Returns the version right before `revision`. */
  before(revision: Revision): Version | undefined {
    return this.at((revision - 1) as Revision);
  }

  add(version: Version): void {
    if (this.#last !== undefined) {
      this.#older ??= [];
      this.#older.push(this.#last);
    }
    this.#last = version;
  }

  /** Removes and returns the versions, deletions included, that no read at `revision` or later sees. */
  compact(revision: Revision): Version[] {
    if (this.#last !== undefined && this.#last.revision <= revision) return this.#forgetPast();
    if (this.#older === undefined) return [];
    const last = lastUpTo(this.#older, revision);
    if (last < 0) return [];
    const forgotten = this.#older.splice(0, this.#older[last]!.version === 0 ? last + 1 : last);
    if (this.#older.length === 0) this.#older = undefined;
    return forgotten;
  }

  /** Removes all but the newest, and that too when it is a deletion. */
  #forgetPast(): Version[] {
    const forgotten = this.#older ?? [];
    this.#older = undefined;
    if (this.#last?.version === 0) {
      forgotten.push(this.#last);
      this.#last = undefined;
    }
    return forgotten;
  }
}

/** Returns the index of the last version at or before `revision`, or -1. */
function lastUpTo(versions: readonly Version[], revision: Revision): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (versions[middle]!.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function livingVersion(version: Version | undefined): Version | undefined {
  return version === undefined || version.version === 0 ? undefined : version;
}
