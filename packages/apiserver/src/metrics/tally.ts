import type { Metric, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
}

export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * What is counted with every request and every event. As prom-client's own metrics, in the same registry; but who counts
 * holds the place to count at, where prom-client looks it up by its labels each time.
 */
abstract class Tallies<Tally> {
  readonly name: string;
  readonly help: string;
  abstract readonly type: 'counter' | 'histogram';
  readonly #tallies = new Map<string, { readonly labels: Labels; readonly tally: Tally }>();

  constructor({ name, help, registry }: TallyOptions) {
    this.name = name;
    this.help = help;
    // A registry asks its metrics for no more than they have here.
    registry.registerMetric(this as unknown as Metric);
  }

  /** The place to count at; the same one for the same labels, which are always given in the same order. */
  of(labels: Labels): Tally {
    const key = Object.values(labels).join('|');
    const known = this.#tallies.get(key);
    if (known !== undefined) return known.tally;
    const tally = this.create();
    this.#tallies.set(key, { labels, tally });
    return tally;
  }

  async get(): Promise<object> {
    const values = [...this.#tallies.values()].flatMap(({ labels, tally }) => this.samplesOf(labels, tally));
    return { name: this.name, help: this.help, type: this.type, values, aggregator: 'sum' };
  }

  protected abstract create(): Tally;
  protected abstract samplesOf(labels: Labels, tally: Tally): Sample[];
}

export interface Count {
  value: number;
}

export class Counts extends Tallies<Count> {
  readonly type = 'counter';

  protected create(): Count {
    return { value: 0 };
  }

  protected samplesOf(labels: Labels, { value }: Count): Sample[] {
    return [{ labels, value }];
  }
}

/** What is only looked at when somebody asks. */
export class Readings {
  readonly name: string;
  readonly help: string;
  readonly #samples: () => Sample[];

  constructor({ name, help, registry, samples }: TallyOptions & { readonly samples: () => Sample[] }) {
    this.name = name;
    this.help = help;
    this.#samples = samples;
    registry.registerMetric(this as unknown as Metric);
  }

  async get(): Promise<object> {
    return { name: this.name, help: this.help, type: 'gauge', values: this.#samples(), aggregator: 'sum' };
  }
}

export class Histograms extends Tallies<HistogramTally> {
  readonly type = 'histogram';
  readonly #bounds: readonly number[];

  /** `bounds` ascend. */
  constructor(options: TallyOptions & { readonly bounds: readonly number[] }) {
    super(options);
    this.#bounds = options.bounds;
  }

  protected create(): HistogramTally {
    return new HistogramTally(this.#bounds);
  }

  protected samplesOf(labels: Labels, tally: HistogramTally): Sample[] {
    const bucket = `${this.name}_bucket`;
    let below = 0;
    const buckets = this.#bounds.map((bound, index) => {
      below += tally.counts[index]!;
      return { metricName: bucket, labels: { le: bound, ...labels }, value: below };
    });
    return [
      ...buckets,
      { metricName: bucket, labels: { le: '+Inf', ...labels }, value: tally.count },
      { metricName: `${this.name}_sum`, labels, value: tally.sum },
      { metricName: `${this.name}_count`, labels, value: tally.count },
    ];
  }
}

export class HistogramTally {
  readonly #bounds: readonly number[];
  /** How many were in each bucket and in none before it. */
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    const bounds = this.#bounds;
    for (let index = 0; index < bounds.length; index++) {
      if (value > bounds[index]!) continue;
      this.counts[index]!++;
      return;
    }
  }
}
