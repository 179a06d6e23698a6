import type { Cell, Reading } from './cell.ts';
import { HistogramCell, NumberCell } from './cell.ts';
import { escapeText, labelsText, line } from './text.ts';

export type Counter<L extends string = string> = Family<NumberCell, L>;
export type Gauge<L extends string = string> = Family<NumberCell, L>;
export type Histogram<L extends string = string> = Family<HistogramCell, L>;

export type Labels<L extends string = string> = Readonly<Record<L, string>>;

/** Fills a family when its metrics are read. */
type Collect<L extends string = string> = (family: Family<NumberCell, L>) => void;

export function counter<const L extends string>(
  name: string,
  help: string,
  labels: readonly L[],
  collect?: Collect<L>,
): Counter<L> {
  return new Family({ name, help, labels, type: 'counter', create: () => new NumberCell(), collect });
}

export function gauge<const L extends string>(
  name: string,
  help: string,
  labels: readonly L[],
  collect?: Collect<L>,
): Gauge<L> {
  return new Family({ name, help, labels, type: 'gauge', create: () => new NumberCell(), collect });
}

/** `bounds` ascend. */
export function histogram<const L extends string>(
  name: string,
  help: string,
  labels: readonly L[],
  bounds: readonly number[],
): Histogram<L> {
  return new Family({ name, help, labels, type: 'histogram', create: () => new HistogramCell(bounds) });
}

interface FamilyOptions<C extends Cell, L extends string> {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly L[];
  readonly create: () => C;
  /** Fills the family anew before every read. Default: the cells keep their values. */
  readonly collect?: ((family: Family<C, L>) => void) | undefined;
}

/** Names that Prometheus accepts: it refuses a whole response because of one other. */
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** A metric with its labels: what Prometheus calls a family. It has one cell for each set of label values. */
export class Family<C extends Cell = Cell, L extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly #labels: readonly L[];
  readonly #create: () => C;
  readonly #collect: (() => void) | undefined;
  /** Replaced by each reset, so that a text that is being written continues with its cells. */
  #cells = new Map<string, Labelled<C>>();

  constructor({ name, help, type, labels, create, collect }: FamilyOptions<C, L>) {
    if (!NAME.test(name))
      throw new TypeError(`Cannot define metric "${name}": names have letters, digits, _ and : only`);
    const wrong = labels.find((label) => !LABEL.test(label));
    if (wrong !== undefined)
      throw new TypeError(
        `Cannot define metric ${name}: label "${wrong}" has other characters than letters, digits and _`,
      );
    this.name = name;
    this.help = help;
    this.type = type;
    this.#labels = labels;
    this.#create = create;
    this.#collect = collect && (() => collect(this));
  }

  /** Returns the cell for these label values, in order: always the same one. It is exposed from now on, as zero at first. */
  cell(...values: readonly string[]): C {
    const key = keyOf(values);
    const found = this.#cells.get(key);
    if (found !== undefined) return found.cell;
    const cell = this.#create();
    const labels = labelsText(this.#labels.map((label, index) => [label, values[index] ?? '']));
    this.#cells.set(key, { values, labels, cell });
    return cell;
  }

  /** Returns the same cell, by the names of the labels. */
  of(labels: Labels<L>): C {
    return this.cell(...this.#labels.map((label) => labels[label]));
  }

  /**
   * Removes the cell for these label values: it is not exposed any more, until it is asked for again. For what is gone, such as the
   * object that a gauge is about.
   */
  remove(labels: Labels<L>): void {
    this.#cells.delete(keyOf(this.#labels.map((label) => labels[label])));
  }

  /** Yields Prometheus' text in pieces of a few lines. Every line but the first begins with a line feed. */
  *text(): Generator<string> {
    this.#collectAnew();
    const { name } = this;
    yield `# HELP ${name} ${escapeText(this.help)}\n# TYPE ${name} ${this.type}`;
    for (const { labels, cell } of this.#cells.values()) {
      let lines = '';
      for (const reading of cell.readings()) lines += line(name, labels, reading);
      yield lines;
    }
  }

  /** Implements the metrics of `prom-client`. */
  async get(): Promise<Exposition> {
    this.#collectAnew();
    const { name, help, type } = this;
    const values = [...this.#cells.values()].flatMap(({ values: given, cell }) => {
      const labels = Object.fromEntries(this.#labels.map((label, index) => [label, given[index] ?? '']));
      return Array.from(cell.readings(), (reading) => sampleOf(name, labels, reading));
    });
    return { name, help, type, values, aggregator: 'sum' };
  }

  /** Removes all cells, as registries of `prom-client` expect. */
  reset(): void {
    this.#cells = new Map();
  }

  #collectAnew(): void {
    if (this.#collect === undefined) return;
    this.reset();
    this.#collect();
  }
}

function keyOf(values: readonly string[]): string {
  return values.join('\u0000');
}

interface Labelled<C> {
  readonly values: readonly string[];
  /** Label values as Prometheus' text. */
  readonly labels: string;
  readonly cell: C;
}

export interface Exposition {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Sample[];
  readonly aggregator: 'sum';
}

export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

function sampleOf(name: string, labels: Labels, { suffix, le, value }: Reading): Sample {
  return {
    value,
    // Last, as in Go's libraries and in operators so far; the text of our own registry has it first.
    labels: le === undefined ? labels : { ...labels, le },
    ...(suffix !== undefined && { metricName: `${name}${suffix}` }),
  };
}
