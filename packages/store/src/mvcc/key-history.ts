import type { Revision } from '../revision.ts';
import type { Summary } from '../store.ts';

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
  /** The value, while `VerifiedValues` holds it, or for good in a replica; nobody else looks at or changes this. */
  held: Uint8Array | undefined;
  heldIn: number;
  /** The last summary that was made of the value. */
  summary: Summary | undefined;
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
  /** The newest version, deletions included. Absent only after compaction took it, and then the index drops the key. */
  #last: Version | undefined;
  /** What came before it, oldest first. Most keys have no past, so there is no list until there is one. */
  #older: Version[] | undefined;

  constructor(key: string) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /** There is something here that a later compaction could take. */
  get isCompactable(): boolean {
    return this.#older !== undefined || this.#last?.version === 0;
  }

  /** The newest version, or undefined when the key does not exist now. */
  get newest(): Version | undefined {
    return livingVersion(this.#last);
  }

  /** The version a read at `revision` sees. */
  at(revision: Revision): Version | undefined {
    if (this.#last !== undefined && this.#last.revision <= revision) return livingVersion(this.#last);
    return this.#older && livingVersion(this.#older[lastUpTo(this.#older, revision)]);
  }

  /** The version that stood right before `revision`. */
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

  /** Forgets and returns the versions, deletions included, that no read at `revision` or later sees. */
  compact(revision: Revision): Version[] {
    if (this.#last !== undefined && this.#last.revision <= revision) return this.#forgetPast();
    if (this.#older === undefined) return [];
    const last = lastUpTo(this.#older, revision);
    if (last < 0) return [];
    const forgotten = this.#older.splice(0, this.#older[last]!.version === 0 ? last + 1 : last);
    if (this.#older.length === 0) this.#older = undefined;
    return forgotten;
  }

  /** Everything but the newest, and that too when it is a deletion. */
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

/** The place of the last version at or before `revision`, or -1. */
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
