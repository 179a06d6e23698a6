import type { KeyRange } from '../key-range.ts';
import { rangeFilter } from '../watch/range-table.ts';

/** A write of the model; `value` undefined deletes. `expected` is a modRevision, 0: must not exist. */
export interface ModelWrite {
  readonly key: string;
  readonly value: string | undefined;
  readonly expected?: number;
  readonly ttlMs?: number;
}

export interface ModelRecord {
  readonly key: string;
  readonly value: string;
  readonly modRevision: number;
  readonly createRevision: number;
  readonly version: number;
  readonly expiresAt: number;
  /** Position in the order of all writes. */
  readonly order: number;
}

type State = ReadonlyMap<string, ModelRecord>;

/** The store as its contract describes it, as a list of whole states. Slow, and obviously right. */
export class StoreModel {
  /** By revision. */
  readonly #states: State[] = [new Map()];
  compacted = 0;
  #now = 0;
  #writes = 0;

  get revision(): number {
    return this.#states.length - 1;
  }

  /** Returns the revision, or the key whose condition failed. */
  commit(writes: readonly ModelWrite[]): { readonly revision: number } | { readonly conflict: string } {
    const current = this.#states[this.revision]!;
    for (const { key, expected } of writes)
      if (expected !== undefined && (current.get(key)?.modRevision ?? 0) !== expected) return { conflict: key };
    const next = new Map(current);
    for (const write of writes) this.#apply(next, write);
    const changed = writes.some(({ key, value }) => value !== undefined || current.has(key));
    if (changed) this.#states.push(next);
    return { revision: this.revision };
  }

  /** In byte order. */
  range(range: KeyRange, revision = this.revision): ModelRecord[] {
    const matches = rangeFilter(range);
    return [...this.#states[revision]!.values()]
      .filter(({ key }) => matches(key))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }

  get(key: string, revision = this.revision): ModelRecord | undefined {
    return this.#states[revision]?.get(key);
  }

  /**
   * Returns what a watch of the range delivers after a revision: `revision key modRevision-or-0`, one line per event.
   */
  events(range: KeyRange, after: number): string[] {
    const matches = rangeFilter(range);
    const lines: string[] = [];
    for (let revision = after + 1; revision <= this.revision; revision++) {
      const [before, now] = [this.#states[revision - 1]!, this.#states[revision]!];
      for (const key of new Set([...before.keys(), ...now.keys()]))
        if (matches(key) && before.get(key) !== now.get(key))
          lines.push(`${revision} ${key} ${now.get(key)?.modRevision ?? 0} was ${before.get(key)?.modRevision ?? 0}`);
    }
    return lines.sort();
  }

  compact(revision: number): void {
    this.compacted = Math.max(this.compacted, revision);
  }

  /** Advances the time. Leases that expire meanwhile delete their keys, each in its own transaction. */
  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#states[this.revision]!.values()].filter(({ expiresAt }) => expiresAt <= this.#now);
    for (const { key } of due.sort((a, b) => a.expiresAt - b.expiresAt || a.order - b.order))
      this.commit([{ key, value: undefined }]);
  }

  #apply(state: Map<string, ModelRecord>, { key, value, ttlMs }: ModelWrite): void {
    const before = state.get(key);
    if (value === undefined) state.delete(key);
    else
      state.set(key, {
        key,
        value,
        modRevision: this.revision + 1,
        createRevision: before?.createRevision ?? this.revision + 1,
        version: (before?.version ?? 0) + 1,
        order: this.#writes++,
        expiresAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : this.#now + ttlMs,
      });
  }
}
