import { quote } from '@pintle/machinery/errors';

/** Indexes such as `1,3-5,7`, in ascending order. */
export interface IndexSet {
  readonly intervals: readonly (readonly [first: number, last: number])[];
  readonly count: number;
}

/** Returns the set, or the problem with its text. */
export function parseIndexes(text: string, completions: number): IndexSet | { readonly problem: string } {
  const intervals: [number, number][] = [];
  let count = 0;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('problem' in interval) return interval;
    const previous = intervals.at(-1)?.[1];
    if (previous !== undefined && previous >= interval.first) return notRising(previous, interval.first);
    intervals.push([interval.first, interval.last]);
    count += interval.last - interval.first + 1;
  }
  return { intervals, count };
}

/** Returns the first index that both texts have; skips invalid parts. */
export function firstOverlap(left: string, right: string, completions: number): number | undefined {
  const intervalsOf = (text: string) =>
    text.split(',').flatMap((part) => {
      const interval = parseInterval(part, completions);
      return 'problem' in interval ? [] : [interval];
    });
  const others = intervalsOf(right);
  for (const one of intervalsOf(left))
    for (const other of others)
      if (one.first <= other.last && other.first <= one.last) return Math.max(one.first, other.first);
  return undefined;
}

type Interval = { readonly first: number; readonly last: number };

function parseInterval(text: string, completions: number): Interval | { readonly problem: string } {
  const limits = text.split('-');
  if (limits.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { problem: `the fragment ${quote(text)} ${rule}` };
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit)) return { problem: `cannot convert string to integer for index: ${quote(limit)}` };
    if (Number(limit) >= completions) return { problem: `too large index: ${quote(limit)}` };
    numbers.push(Number(limit));
  }
  const [first, last] = numbers as [number, number?];
  if (last !== undefined && first >= last) return notRising(first, last);
  return { first, last: last ?? first };
}

function notRising(previous: number, current: number): { readonly problem: string } {
  return { problem: `non-increasing order, previous: ${previous}, current: ${current}` };
}
