/** A metric with all its labels: what Prometheus calls a family. Cells are plain numbers, so counting costs nothing. */
export class Family<C extends Cell> {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly #labels: readonly string[];
  readonly #create: () => C;
  readonly #collect: ((family: Family<C>) => void) | undefined;
  readonly #cells = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly cell: C }>();

  constructor({ name, help, type, labels, create, collect }: FamilyOptions<C>) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#labels = labels;
    this.#create = create;
    this.#collect = collect;
  }

  /** The cell for these values of the labels, in order. It shows up, as zero, from now on. */
  cell(...values: readonly string[]): C {
    const key = values.join('\u0000');
    const found = this.#cells.get(key);
    if (found !== undefined) return found.cell;
    const labels = Object.fromEntries(this.#labels.map((label, index) => [label, values[index] ?? '']));
    const cell = this.#create();
    this.#cells.set(key, { labels, cell });
    return cell;
  }

  /** As `prom-client` registries ask their metrics. */
  async get(): Promise<Exposition> {
    if (this.#collect !== undefined) {
      this.#cells.clear();
      this.#collect(this);
    }
    const values = [...this.#cells.values()].flatMap(({ labels, cell }) => cell.samples(this.name, labels));
    return { name: this.name, help: this.help, type: this.type, values, aggregator: 'sum' };
  }

  /** As `prom-client` registries do when they are reset. */
  reset(): void {
    this.#cells.clear();
  }
}

export interface Cell {
  samples(name: string, labels: Readonly<Record<string, string>>): Sample[];
}

export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

export interface Exposition {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Sample[];
  readonly aggregator: 'sum';
}

interface FamilyOptions<C extends Cell> {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly create: () => C;
  /** Counts everything anew whenever somebody asks. Default: what was counted so far is told. */
  readonly collect?: (family: Family<C>) => void;
}

/** A number that is counted up, or set, or looked up when it is asked for. */
export class NumberCell implements Cell {
  value = 0;
  /** In place of `value`. */
  read: (() => number) | undefined;

  add(by = 1): void {
    this.value += by;
  }

  samples(_name: string, labels: Readonly<Record<string, string>>): Sample[] {
    return [{ value: this.read === undefined ? this.value : this.read(), labels }];
  }
}

/** How many values were at most as large as each bound. */
export class HistogramCell implements Cell {
  readonly #bounds: readonly number[];
  /** One for each bound and one for what is larger than all. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > this.#bounds[index]!) index++;
    this.#counts[index]!++;
    this.#sum += value;
  }

  samples(name: string, labels: Readonly<Record<string, string>>): Sample[] {
    let count = 0;
    const buckets = this.#counts.map((each, index): Sample => {
      count += each;
      const le = this.#bounds[index] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

export function counter(name: string, help: string, labels: readonly string[]): Family<NumberCell> {
  return new Family({ name, help, labels, type: 'counter', create: () => new NumberCell() });
}

export function gauge(
  name: string,
  help: string,
  labels: readonly string[],
  collect?: (family: Family<NumberCell>) => void,
): Family<NumberCell> {
  return new Family({
    name,
    help,
    labels,
    type: 'gauge',
    create: () => new NumberCell(),
    ...(collect && { collect }),
  });
}

export function histogram(
  name: string,
  help: string,
  labels: readonly string[],
  bounds: readonly number[],
): Family<HistogramCell> {
  return new Family({ name, help, labels, type: 'histogram', create: () => new HistogramCell(bounds) });
}
