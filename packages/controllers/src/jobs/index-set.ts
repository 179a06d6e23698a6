/** First and last index, both included. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/**
 * Completion indexes as a status has them: a few intervals instead of many numbers.
 *
 *     IndexSet.parse('0-2,5', 10).with([3, 4]).toString()   // '0-5'
 */
export class IndexSet {
  static readonly empty = new IndexSet([]);
  readonly #intervals: readonly Interval[];

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  /** Skips parts that are not numbers or not below `completions`. */
  static parse(text: string, completions: number): IndexSet {
    const intervals: Interval[] = [];
    for (const part of text.split(',')) {
      const limits = /^(\d+)(?:-(\d+))?$/.exec(part);
      if (limits === null) continue;
      const first = Number(limits[1]);
      const last = Math.min(Number(limits[2] ?? first), completions - 1);
      if (first <= last) intervals.push({ first, last });
    }
    return new IndexSet(merged(intervals));
  }

  /** Number of indexes. */
  get size(): number {
    return this.#intervals.reduce((count, { first, last }) => count + last - first + 1, 0);
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#intervals[middle]!.last < index) low = middle + 1;
      else high = middle;
    }
    return low < this.#intervals.length && this.#intervals[low]!.first <= index;
  }

  with(indexes: Iterable<number>): IndexSet {
    const added = Array.from(indexes, (index) => ({ first: index, last: index }));
    return added.length === 0 ? this : new IndexSet(merged([...this.#intervals, ...added]));
  }

  union(other: IndexSet): IndexSet {
    return new IndexSet(merged([...this.#intervals, ...other.#intervals]));
  }

  /** Returns the number of indexes that are in both sets. */
  overlap(other: IndexSet): number {
    let count = 0;
    for (let mine = 0, its = 0; mine < this.#intervals.length && its < other.#intervals.length; ) {
      const a = this.#intervals[mine]!;
      const b = other.#intervals[its]!;
      count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last < b.last) mine++;
      else its++;
    }
    return count;
  }

  /** Returns the first `count` indexes below `completions` that are not in the set. */
  firstAbsent(count: number, completions: number): number[] {
    const absent: number[] = [];
    let next = 0;
    const takeBelow = (end: number): void => {
      for (; next < end && absent.length < count; next++) absent.push(next);
    };
    for (const { first, last } of this.#intervals) {
      takeBelow(Math.min(first, completions));
      next = Math.max(next, last + 1);
    }
    takeBelow(completions);
    return absent;
  }

  toString(): string {
    return this.#intervals
      .map(({ first, last }) => {
        if (first === last) return `${first}`;
        return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
      })
      .join(',');
  }
}

/** Sorts intervals and joins adjacent ones. */
function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const interval of [...intervals].sort((a, b) => a.first - b.first)) {
    const before = result.at(-1);
    if (before === undefined || interval.first > before.last + 1) result.push(interval);
    else result[result.length - 1] = { first: before.first, last: Math.max(before.last, interval.last) };
  }
  return result;
}
