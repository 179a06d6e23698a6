/** The place to count at, for one set of values of a family's labels. Who counts holds it: nothing is looked up then. */
export interface Cell {
  readings(): Iterable<Reading>;
}

/** One line of the text. */
export interface Reading {
  readonly value: number;
  /** Follows the name of the family. Default: nothing. */
  readonly suffix?: string;
  /** The bound of a bucket. */
  readonly le?: number | '+Inf';
}

/** A number that is counted up, or set, or looked up when it is asked for. */
export class NumberCell implements Cell {
  value = 0;
  /** In place of `value`. */
  read: (() => number) | undefined;

  add(by = 1): void {
    this.value += by;
  }

  readings(): Iterable<Reading> {
    return [{ value: this.read === undefined ? this.value : this.read() }];
  }
}

/** How many values were at most as large as each bound. */
export class HistogramCell implements Cell {
  readonly #bounds: readonly number[];
  /** How many were in each bucket and in none before it. */
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
