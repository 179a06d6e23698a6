import type { Cell, Reading } from './cell.ts';
import { HistogramCell, NumberCell } from './cell.ts';
import { escapeText, labelsText, line } from './text.ts';

export type Counter<L extends string = string> = Family<NumberCell, L>;
export type Gauge<L extends string = string> = Family<NumberCell, L>;
export type Histogram<L extends string = string> = Family<HistogramCell, L>;

export type Labels<L extends string = string> = Readonly<Record<L, string>>;

/** Fills a family whose numbers are only looked at when somebody asks. */
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
  /** Counts everything anew whenever somebody asks. Default: what was counted so far is told. */
  readonly collect?: ((family: Family<C, L>) => void) | undefined;
}

/** A metric with all its labels: what Prometheus calls a family. It has as many cells as labels had different values. */
export class Family<C extends Cell = Cell, L extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly #labels: readonly L[];
  readonly #create: () => C;
  readonly #collect: (() => void) | undefined;
  /** Another map after each reset: a text that is being written goes on with the one that it began with. */
  #cells = new Map<string, Labelled<C>>();

  constructor({ name, help, type, labels, create, collect }: FamilyOptions<C, L>) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#labels = labels;
    this.#create = create;
    this.#collect = collect && (() => collect(this));
  }

  /** The cell for these values of the labels, in order; the same one at every call. It shows up, as zero, from now on. */
  cell(...values: readonly string[]): C {
    const key = values.join('\u0000');
    const found = this.#cells.get(key);
    if (found !== undefined) return found.cell;
    const cell = this.#create();
    const labels = labelsText(this.#labels.map((label, index) => [label, values[index] ?? '']));
    this.#cells.set(key, { values, labels, cell });
    return cell;
  }

  /** The same cell, by the labels' names. */
  of(labels: Labels<L>): C {
    return this.cell(...this.#labels.map((label) => labels[label]));
  }

  /** Prometheus' text in pieces of a few lines each. A line begins with a line feed, except for the first. */
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

  /** As registries of `prom-client` ask their metrics. */
  async get(): Promise<Exposition> {
    this.#collectAnew();
    const { name, help, type } = this;
    const values = [...this.#cells.values()].flatMap(({ values: given, cell }) => {
      const labels = Object.fromEntries(this.#labels.map((label, index) => [label, given[index] ?? '']));
      return Array.from(cell.readings(), (reading) => sampleOf(name, labels, reading));
    });
    return { name, help, type, values, aggregator: 'sum' };
  }

  /** As registries of `prom-client` do when they are reset. */
  reset(): void {
    this.#cells = new Map();
  }

  #collectAnew(): void {
    if (this.#collect === undefined) return;
    this.reset();
    this.#collect();
  }
}

interface Labelled<C> {
  readonly values: readonly string[];
  /** The same as Prometheus' text. */
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
    // Last, as Go's libraries have it: that is how operators have told it, and our own text tells it first.
    labels: le === undefined ? labels : { ...labels, le },
    ...(suffix !== undefined && { metricName: `${name}${suffix}` }),
  };
}
