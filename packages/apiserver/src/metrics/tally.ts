import { table } from '@pintle/machinery/table';
import type { Metric, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/**
 * A metric beside prom-client's own, in the same registry. There may be many thousands of lines about it: it writes them
 * a few at a time, where prom-client writes all at once, and is never asked for them in any other way.
 */
export abstract class Family {
  readonly name: string;
  readonly help: string;
  abstract readonly type: 'counter' | 'gauge' | 'histogram';

  constructor({ name, help, registry }: TallyOptions) {
    this.name = name;
    this.help = help;
    registry.registerMetric(this as unknown as Metric);
  }

  /** Pieces of a few lines each. A line begins with a line feed, except for the first. */
  *text(): Generator<string> {
    yield `# HELP ${this.name} ${this.help}\n# TYPE ${this.name} ${this.type}`;
    yield* this.lines();
  }

  protected abstract lines(): Iterable<string>;
}

/**
 * What is counted with every request and every event. Who counts holds the place to count at, where prom-client looks it
 * up by its labels each time.
 */
abstract class Tallies<Tally> extends Family {
  readonly #tallies = new Map<string, { readonly labels: string; readonly tally: Tally }>();

  /** The place to count at; the same one for the same labels, which are always given in the same order. */
  of(labels: Labels): Tally {
    const key = Object.values(labels).join('|');
    const known = this.#tallies.get(key);
    if (known !== undefined) return known.tally;
    const tally = this.create();
    this.#tallies.set(key, { labels: labelsText(labels), tally });
    return tally;
  }

  protected *lines(): Generator<string> {
    for (const { labels, tally } of this.#tallies.values()) yield this.linesOf(labels, tally);
  }

  protected abstract create(): Tally;
  protected abstract linesOf(labels: string, tally: Tally): string;
}

export interface Count {
  value: number;
}

export class Counts extends Tallies<Count> {
  readonly type = 'counter';

  protected create(): Count {
    return { value: 0 };
  }

  protected linesOf(labels: string, { value }: Count): string {
    return line(this.name, labels, value);
  }
}

export interface ReadingsOptions extends TallyOptions {
  readonly samples: () => Iterable<Sample>;
  /** Default: a gauge. */
  readonly type?: 'counter' | 'gauge';
}

/** What is only looked at when somebody asks. */
export class Readings extends Family {
  readonly type: 'counter' | 'gauge';
  readonly #samples: () => Iterable<Sample>;

  constructor({ samples, type = 'gauge', ...options }: ReadingsOptions) {
    super(options);
    this.type = type;
    this.#samples = samples;
  }

  protected *lines(): Generator<string> {
    for (const { labels, value } of this.#samples()) yield line(this.name, labelsText(labels), value);
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

  protected linesOf(labels: string, { counts, count, sum }: HistogramTally): string {
    const bucket = `${this.name}_bucket`;
    const others = labels === '' ? '' : `,${labels}`;
    let below = 0;
    let text = '';
    for (const [index, bound] of this.#bounds.entries()) {
      below += counts[index]!;
      text += line(bucket, `le="${bound}"${others}`, below);
    }
    text += line(bucket, `le="+Inf"${others}`, count);
    return text + line(`${this.name}_sum`, labels, sum) + line(`${this.name}_count`, labels, count);
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

function line(name: string, labels: string, value: number): string {
  return labels === '' ? `\n${name} ${numberText(value)}` : `\n${name}{${labels}} ${numberText(value)}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN';
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character]!)}"`)
    .join(',');
}

const ESCAPES: Readonly<Record<string, string>> = table({ '\\': '\\\\', '"': '\\"', '\n': '\\n' });
