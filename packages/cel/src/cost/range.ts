/** Largest cost in Kubernetes. */
export const UNBOUNDED = 2 ** 64;

/** Minimum and maximum of a size or a cost. Sums and products saturate at `UNBOUNDED`. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const ZERO: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };
export const UNKNOWN: Range = { min: 0, max: UNBOUNDED };

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function add(...ranges: readonly Range[]): Range {
  let { min, max } = ZERO;
  for (const range of ranges) {
    min = bounded(min + range.min);
    max = bounded(max + range.max);
  }
  return { min, max };
}

export function total(ranges: readonly Range[]): Range {
  return ranges.reduce((sum, range) => add(sum, range), ZERO);
}

export function multiply(a: Range, b: Range): Range {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** Multiplies and rounds up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: bounded(Math.ceil(min * factor)), max: bounded(Math.ceil(max * factor)) };
}

/** Returns the range that covers both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function bounded(value: number): number {
  return Math.min(value, UNBOUNDED);
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : bounded(a * b);
}
