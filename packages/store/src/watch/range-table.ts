import { type KeyRange, keyAfter, prefixRange, toSortKey } from '../key-range.ts';

/**
 * Finds the members whose range holds a key, without comparing all of them.
 *
 * Nearly all ranges are one key or one prefix. Those are looked up: a key directly, prefixes by cutting the key at each
 * length that some watcher's prefix has. Only other ranges are compared one by one.
 */
export class RangeTable<T> {
  readonly #keys = new Map<string, Set<T>>();
  readonly #prefixes = new Map<string, Set<T>>();
  /** Number of prefixes of each length. */
  readonly #prefixLengths = new Map<number, number>();
  readonly #others = new Map<T, Bounds>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a member, which has one range. */
  add(range: KeyRange, member: T): void {
    this.#size++;
    const shape = shapeOf(range);
    if (shape.type === 'key') addTo(this.#keys, shape.key, member);
    else if (shape.type === 'range') this.#others.set(member, boundsOf(range));
    else if (addTo(this.#prefixes, shape.prefix, member)) this.#countLength(shape.prefix.length, 1);
  }

  delete(range: KeyRange, member: T): void {
    this.#size--;
    const shape = shapeOf(range);
    if (shape.type === 'key') deleteFrom(this.#keys, shape.key, member);
    else if (shape.type === 'range') this.#others.delete(member);
    else if (deleteFrom(this.#prefixes, shape.prefix, member)) this.#countLength(shape.prefix.length, -1);
  }

  /** Calls `visit` once for every member whose range holds `key`. */
  match(key: string, visit: (member: T) => void): void {
    for (const length of this.#prefixLengths.keys()) {
      if (length > key.length) continue;
      this.#prefixes.get(key.slice(0, length))?.forEach(visit);
    }
    this.#keys.get(key)?.forEach(visit);
    if (this.#others.size === 0) return;
    const sortKey = toSortKey(key);
    for (const [member, bounds] of this.#others) if (holds(bounds, sortKey)) visit(member);
  }

  #countLength(length: number, change: number): void {
    const count = (this.#prefixLengths.get(length) ?? 0) + change;
    if (count === 0) this.#prefixLengths.delete(length);
    else this.#prefixLengths.set(length, count);
  }
}

/** Returns a test for membership in a range. */
export function rangeFilter(range: KeyRange): (key: string) => boolean {
  const bounds = boundsOf(range);
  return (key) => holds(bounds, toSortKey(key));
}

interface Bounds {
  readonly start: string;
  readonly end: string | undefined;
}

type Shape =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'prefix'; readonly prefix: string }
  | { readonly type: 'range' };

function shapeOf({ start, end }: KeyRange): Shape {
  if (end !== undefined && end === keyAfter(start)) return { type: 'key', key: start };
  return end === prefixEnd(start) ? { type: 'prefix', prefix: start } : { type: 'range' };
}

function prefixEnd(prefix: string): string | undefined | null {
  const endsInAscii = prefix === '' || prefix.charCodeAt(prefix.length - 1) < 0x7f;
  return endsInAscii ? prefixRange(prefix).end : null;
}

function boundsOf({ start, end }: KeyRange): Bounds {
  return { start: toSortKey(start), end: end === undefined ? undefined : toSortKey(end) };
}

function holds({ start, end }: Bounds, sortKey: string): boolean {
  return sortKey >= start && (end === undefined || sortKey < end);
}

/** Returns true when this is the key's first member. */
function addTo<T>(sets: Map<string, Set<T>>, key: string, member: T): boolean {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([member]));
  else set.add(member);
  return set === undefined;
}

/** Returns true when this was the key's last member. */
function deleteFrom<T>(sets: Map<string, Set<T>>, key: string, member: T): boolean {
  const set = sets.get(key);
  set?.delete(member);
  return set?.size === 0 && sets.delete(key);
}
