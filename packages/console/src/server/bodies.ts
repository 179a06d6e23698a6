import type { ApiRequest } from '@pintle/apiserver';
import { type Deferred, deferred, waitForOwnTurn } from '@pintle/async';
import { ConsoleError } from './errors.ts';

/** Bytes that a body counts as while nothing of it has arrived: its request, and a buffer. */
const LEAST_BYTES = 4 * 1024;

/** A larger body is read in a turn of the event loop that no other long work shares. */
const LARGE_BYTES = 64 * 1024;

interface Holder {
  /** Oldest first. */
  readonly arrivals: Set<Arrival>;
  bytes: number;
}

interface Arrival {
  bytes: number;
  readonly stopped: Deferred<'stopped'>;
}

export interface BodyOptions {
  /** Name under which the body is counted. */
  readonly holder: string;
  readonly maxBytes: number;
}

/**
 * Reads bodies that nothing else counts, because the console needs them before the API hears of a request. While they arrive
 * they have at most `maxBytes` together: beyond it the oldest of the holder with the most is refused. A browser's bodies
 * arrive at once, so only those who send slowly meet the limit.
 */
export class Bodies {
  readonly #maxBytes: number;
  readonly #holders = new Map<string, Holder>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the value of a body of JSON, which the caller reads in the same turn. Throws `TooLarge`, `TooSlow` or `BadBody`. */
  async readJson({ body }: Pick<ApiRequest, 'body'>, options: BodyOptions): Promise<unknown> {
    const { maxBytes } = options;
    const all = body instanceof Uint8Array ? body : await this.#arrive(body, options);
    if (all.length > maxBytes) throw new ConsoleError({ code: 'TooLarge', maxBytes });
    // Many arrive at once; reading all of one takes milliseconds.
    if (all.length > LARGE_BYTES) await waitForOwnTurn(options.holder);
    try {
      return JSON.parse(new TextDecoder().decode(all));
    } catch {
      throw new ConsoleError({ code: 'BadBody', problem: 'it is no JSON' });
    }
  }

  async #arrive(body: AsyncIterable<Uint8Array>, { holder: name, maxBytes }: BodyOptions): Promise<Uint8Array> {
    const holder = this.#holders.get(name) ?? { arrivals: new Set(), bytes: 0 };
    const arrival: Arrival = { bytes: 0, stopped: deferred() };
    this.#holders.set(name, holder);
    holder.arrivals.add(arrival);
    const source = body[Symbol.asyncIterator]();
    // A chunk may be a view of far more than itself: its bytes are copied.
    let all = Buffer.alloc(LEAST_BYTES);
    let length = 0;
    try {
      for (;;) {
        this.#count(holder, arrival, all.length);
        const step = await Promise.race([source.next(), arrival.stopped.promise]);
        if (step === 'stopped') throw new ConsoleError({ code: 'TooSlow' });
        if (step.done) return all.subarray(0, length);
        const begin = length;
        length += step.value.length;
        if (length > maxBytes) throw new ConsoleError({ code: 'TooLarge', maxBytes });
        if (length > all.length) all = Buffer.concat([all.subarray(0, begin)], Math.min(2 * length, maxBytes));
        all.set(step.value, begin);
      }
    } finally {
      this.#leave(name, holder, arrival);
      void source.return?.().then(undefined, () => {});
    }
  }

  #count(holder: Holder, arrival: Arrival, bytes: number): void {
    const more = bytes - arrival.bytes;
    arrival.bytes = bytes;
    holder.bytes += more;
    this.#bytes += more;
    if (this.#bytes > this.#maxBytes) this.#stopOldestOfLargest();
  }

  #leave(name: string, holder: Holder, arrival: Arrival): void {
    if (holder.arrivals.delete(arrival)) this.#count(holder, arrival, 0);
    if (holder.arrivals.size === 0 && this.#holders.get(name) === holder) this.#holders.delete(name);
  }

  #stopOldestOfLargest(): void {
    const [first, ...others] = this.#holders;
    const [name, largest] = others.reduce((most, each) => (each[1].bytes > most[1].bytes ? each : most), first!);
    const [oldest] = largest.arrivals;
    this.#leave(name, largest, oldest!);
    oldest!.stopped.resolve('stopped');
  }
}
