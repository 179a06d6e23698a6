import { fromSortKey, type KeyRange, toSortKey } from '../key-range.ts';
import { KeyHistory, type Version } from './key-history.ts';

/**
 * All keys in byte order of their UTF-8 form, each with its history. Holds durable state only.
 *
 * Keys are in sorted leaves of at most `LEAF_SIZE`; a search finds the leaf by its first key, then the position inside.
 * A leaf that overflows is split, one that is empty is dropped.
 */
export class KeyIndex {
  readonly #histories = new Map<string, KeyHistory>();
  #leaves: Leaf[] = [];
  /** Histories that compaction could shorten. */
  readonly #compactable = new Set<KeyHistory>();
  #living = 0;

  /** Number of keys that exist now. */
  get living(): number {
    return this.#living;
  }

  get compactable(): ReadonlySet<KeyHistory> {
    return this.#compactable;
  }

  find(key: string): KeyHistory | undefined {
    return this.#histories.get(key);
  }

  /** Adds a write. Writes of a key must be added in the order of their revisions. */
  add(key: string, version: Version): void {
    const known = this.#histories.get(key);
    const history = known ?? this.#create(key);
    if (known === undefined) this.#insert(toSortKey(key), history);
    this.#append(history, version);
  }

  /** Fills an empty index. Faster than `add` for many keys, which are sorted once. */
  static load(writes: Iterable<Version & { readonly key: string }>): KeyIndex {
    const index = new KeyIndex();
    for (const write of writes) index.#append(index.#histories.get(write.key) ?? index.#create(write.key), write);
    index.#leaves = toLeaves(index.#histories);
    return index;
  }

  /** Visits the histories of a range in key order until `visit` returns false. The index must not change meanwhile. */
  walk(range: KeyRange, visit: (history: KeyHistory) => boolean): void {
    const start = toSortKey(range.start);
    const end = range.end === undefined ? undefined : toSortKey(range.end);
    let leafIndex = this.#leafFor(start);
    let index = leafIndex < this.#leaves.length ? lowerBound(this.#leaves[leafIndex]!.keys, start) : 0;
    for (; leafIndex < this.#leaves.length; leafIndex++, index = 0) {
      const { keys, histories } = this.#leaves[leafIndex]!;
      for (; index < keys.length; index++) {
        if (end !== undefined && keys[index]! >= end) return;
        if (!visit(histories[index]!)) return;
      }
    }
  }

  /** Removes and returns the versions of one key that no read at `revision` or later sees. */
  compact(history: KeyHistory, revision: Version['revision']): Version[] {
    const forgotten = history.compact(revision);
    if (history.isEmpty) this.#remove(history);
    if (!history.isCompactable) this.#compactable.delete(history);
    return forgotten;
  }

  #create(key: string): KeyHistory {
    const history = new KeyHistory(key);
    this.#histories.set(key, history);
    return history;
  }

  #append(history: KeyHistory, version: Version): void {
    const existed = history.newest !== undefined;
    history.add(version);
    if (history.isCompactable) this.#compactable.add(history);
    this.#living += Number(version.version > 0) - Number(existed);
  }

  #insert(sortKey: string, history: KeyHistory): void {
    const leafIndex = this.#leafFor(sortKey);
    const leaf = this.#leaves[leafIndex];
    if (leaf === undefined) {
      this.#leaves.push({ keys: [sortKey], histories: [history] });
      return;
    }
    const index = lowerBound(leaf.keys, sortKey);
    leaf.keys.splice(index, 0, sortKey);
    leaf.histories.splice(index, 0, history);
    if (leaf.keys.length > LEAF_SIZE) this.#leaves.splice(leafIndex + 1, 0, cut(leaf, index));
  }

  #remove(history: KeyHistory): void {
    const sortKey = toSortKey(history.key);
    const leafIndex = this.#leafFor(sortKey);
    const leaf = this.#leaves[leafIndex]!;
    const index = lowerBound(leaf.keys, sortKey);
    leaf.keys.splice(index, 1);
    leaf.histories.splice(index, 1);
    if (leaf.keys.length === 0) this.#leaves.splice(leafIndex, 1);
    this.#histories.delete(history.key);
  }

  /** Returns the leaf that holds `sortKey` or would: the last whose first key is not greater, else 0. */
  #leafFor(sortKey: string): number {
    let low = 0;
    let high = this.#leaves.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#leaves[middle]!.keys[0]! <= sortKey) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

const LEAF_SIZE = 512;

interface Leaf {
  readonly keys: string[];
  readonly histories: KeyHistory[];
}

/** Returns the position of `sortKey`, or where it belongs. */
function lowerBound(keys: readonly string[], sortKey: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < sortKey) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves the end of a full leaf into a new one: half, or only the newcomer when keys arrive in order. */
function cut(leaf: Leaf, newcomer: number): Leaf {
  const at = newcomer === leaf.keys.length - 1 ? newcomer : leaf.keys.length >>> 1;
  return { keys: leaf.keys.splice(at), histories: leaf.histories.splice(at) };
}

function toLeaves(histories: ReadonlyMap<string, KeyHistory>): Leaf[] {
  const sorted = Array.from(histories.keys(), toSortKey).sort();
  const leaves: Leaf[] = [];
  for (let at = 0; at < sorted.length; at += LEAF_SIZE) {
    const keys = sorted.slice(at, at + LEAF_SIZE);
    leaves.push({ keys, histories: keys.map((key) => histories.get(fromSortKey(key))!) });
  }
  return leaves;
}
