import { yieldToEventLoop } from '@pintle/async';
import type { Combination } from './merge.ts';
import { mergeTexts } from './merge.ts';

/** Content type of Prometheus' text format. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Characters that are written before the writer yields: about a millisecond of work. */
export const PIECE_CHARACTERS = 128 * 1024;

/** Source of metrics: a family, or the metrics of another library. */
export interface MetricSource {
  readonly name: string;
  /** Returns the text in pieces of a few lines, without a line feed at the end. */
  text(): Iterable<string> | Promise<Iterable<string>>;
}

/** Metrics of another process of the same server. */
export interface OtherMetrics {
  /** Returns the text of the source with this name; empty when the source does not exist. */
  textOf(source: string): Promise<string>;
}

export interface TextOptions {
  readonly others?: readonly OtherMetrics[];
  /** Default: the sum. */
  readonly combinationOf?: (name: string, type: string) => Combination;
}

/** All metrics of a server, in the order in which they were added. */
export class MetricsRegistry {
  readonly #sources = new Map<string, MetricSource>();

  /** Adds a source and returns it. Throws RangeError when its name is taken. */
  add<S extends MetricSource>(source: S): S {
    if (this.#sources.has(source.name)) {
      throw new RangeError(`Cannot add a metric: there is one with the name ${source.name}`);
    }
    this.#sources.set(source.name, source);
    return source;
  }

  /**
   * Yields all metrics as Prometheus' text. A client can make the text 100 MB long by requesting every resource with every
   * verb, so it is sent as it is written and never held whole. With other processes, one source is held.
   */
  async *text({ others = [], combinationOf = () => 'sum' }: TextOptions = {}): AsyncGenerator<Uint8Array> {
    let text = '';
    for (const source of this.#sources.values()) {
      const isAlone = others.length === 0;
      for (const piece of isAlone ? await source.text() : [await this.#merged(source.name, others, combinationOf)]) {
        text += piece;
        if (text.length < PIECE_CHARACTERS) continue;
        yield Buffer.from(text);
        text = '';
        await yieldToEventLoop();
      }
      text += '\n\n';
    }
    // One line feed ends the text; two separate metrics.
    yield Buffer.from(text.slice(0, -1));
  }

  /** Returns the text of a source; empty when the source does not exist. */
  async textOf(name: string): Promise<string> {
    return [...((await this.#sources.get(name)?.text()) ?? [])].join('');
  }

  async #merged(
    name: string,
    others: readonly OtherMetrics[],
    combinationOf: NonNullable<TextOptions['combinationOf']>,
  ): Promise<string> {
    const texts = await Promise.all([this.textOf(name), ...others.map((other) => other.textOf(name))]);
    return mergeTexts(texts, combinationOf);
  }
}
