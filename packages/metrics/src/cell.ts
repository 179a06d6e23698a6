/** Value for one set of a family's label values. Callers keep it, so that counting needs no look-up. */
export interface Cell {
  readings(): Iterable<Reading>;
}

/** One line of Prometheus' text. */
export interface Reading {
  readonly value: number;
  /** Appended to the name of the family. Default: empty. */
  readonly suffix?: string;
  /** Upper bound of a bucket. */
  readonly le?: number | '+Inf';
}

/** A number that is incremented, set, or read when it is exposed. */
export class NumberCell implements Cell {
  value = 0;
  /** Replaces `value` when set. */
  read: (() => number) | undefined;

  add(by = 1): void {
    this.value += by;
  }

  readings(): Iterable<Reading> {
    return [{ value: this.read === undefined ? this.value : this.read() }];
  }
}

/** Counts values by the bounds they do not exceed. */
export class HistogramCell implements Cell {
  readonly #bounds: readonly number[];
  /** Values in each bucket and in none before it. */
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** `bounds` ascend. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > bounds[index]!) index++;
    if (index < bounds.length) this.#counts[index]!++;
  }

  *readings(): Generator<Reading> {
    let below = 0;
    for (const [index, le] of this.#bounds.entries()) {
      below += this.#counts[index]!;
      yield { suffix: '_bucket', le, value: below };
    }
    yield { suffix: '_bucket', le: '+Inf', value: this.#count };
    yield { suffix: '_sum', value: this.#sum };
    yield { suffix: '_count', value: this.#count };
  }
}
