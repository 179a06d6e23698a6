import { nextTurn } from '@pintle/async';

/** Of the text: Prometheus' own format. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** So much is written before others have a turn, which takes about a millisecond. */
export const PIECE_CHARACTERS = 128 * 1024;

/** Something with numbers: a family, or what another library counts. */
export interface MetricSource {
  readonly name: string;
  /** In pieces of a few lines each, without a line feed at the end. */
  text(): Iterable<string> | Promise<Iterable<string>>;
}

/** All that a server counts, in the order in which it was added. */
export class MetricsRegistry {
  readonly #sources = new Map<string, MetricSource>();

  /** Gives back what was added. Throws RangeError when something of that name is there. */
  add<S extends MetricSource>(source: S): S {
    if (this.#sources.has(source.name)) {
      throw new RangeError(`Cannot add a metric: there is one with the name ${source.name}`);
    }
    this.#sources.set(source.name, source);
    return source;
  }

  /**
   * Writes everything as Prometheus' text. Whoever asks a server for every resource in every way there is makes it 100 MB
   * long: it is sent as it is written, and never held whole.
   */
  async *text(): AsyncGenerator<Uint8Array> {
    let text = '';
    for (const source of this.#sources.values()) {
      for (const piece of await source.text()) {
        text += piece;
        if (text.length < PIECE_CHARACTERS) continue;
        yield Buffer.from(text);
        text = '';
        await nextTurn();
      }
      text += '\n\n';
    }
    // One line feed ends the text; two stand between metrics.
    yield Buffer.from(text.slice(0, -1));
  }
}
