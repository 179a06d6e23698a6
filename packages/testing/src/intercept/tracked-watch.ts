import { deferred } from '@pintle/async';
import { statusErrorOf } from '@pintle/machinery/errors';
import { encodeJson } from '@pintle/machinery/json';
import type { RequestFacts } from '../requests/request-facts.ts';

interface TrackedWatchOptions {
  readonly actor: string;
  readonly facts: RequestFacts;
  readonly body: AsyncIterable<Uint8Array>;
  readonly onMove: () => void;
  readonly onEnd: () => void;
  /** Finds the newest resourceVersion in a piece; absent when it is not needed. */
  readonly newestIn?: ((piece: Uint8Array) => number) | undefined;
}

type Piece = IteratorResult<Uint8Array, undefined>;

const END: Piece = { done: true, value: undefined };

/** The event stream of a watch, which a test can hold up or end. */
export class TrackedWatch implements AsyncIterableIterator<Uint8Array> {
  readonly actor: string;
  readonly facts: RequestFacts;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #options: TrackedWatchOptions;
  readonly #ended = deferred<Piece>();
  #isOver = false;
  #seenResourceVersion = 0;
  /** Number of pieces that have arrived. */
  #pieces = 0;
  /** Number of stalls that hold it up. */
  #stalls = 0;
  #flowing = deferred();

  constructor(options: TrackedWatchOptions) {
    this.actor = options.actor;
    this.facts = options.facts;
    this.#options = options;
    this.#source = options.body[Symbol.asyncIterator]();
    this.#flowing.resolve();
    this.#ended.promise.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Newest resourceVersion that the reader has received. */
  get seenResourceVersion(): number {
    return this.#seenResourceVersion;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Piece> {
    if (this.#isOver) return await this.#ended.promise;
    const piece = await Promise.race([this.#read(), this.#ended.promise]);
    this.#pieces++;
    this.#note(piece);
    this.#options.onMove();
    if (piece.done === true) this.#end();
    return piece;
  }

  async return(): Promise<Piece> {
    this.#end();
    this.#ended.resolve(END);
    await this.#source.return?.();
    return END;
  }

  /** Resolves once the reader has received the objects that existed when the watch began. */
  async caughtUp(): Promise<void> {
    for (let seen = -1; seen !== this.#pieces && !this.#isOver; ) {
      seen = this.#pieces;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Fails the stream with the reason, as a broken connection would; without a reason ends it, as a server does at its timeout. */
  cut(reason?: unknown): void {
    if (this.#isOver) return;
    this.#end();
    if (reason === undefined) this.#ended.resolve(END);
    else this.#ended.reject(reason);
    this.#source.return?.().catch(() => undefined);
  }

  /** Sends an ERROR event, as a server does that cannot continue the watch. */
  fail(error: unknown): void {
    const status = statusErrorOf(error)?.status;
    const line = encodeJson({ type: 'ERROR', object: JSON.parse(JSON.stringify(status ?? {})) });
    if (this.#isOver) return;
    this.#ended.resolve({ done: false, value: Buffer.concat([line, Buffer.from('\n')]) });
    this.#options.onMove();
    this.#source.return?.().catch(() => undefined);
  }

  /** Holds up events until the result is disposed of; then all of them arrive. */
  stall(): Disposable {
    if (this.#stalls++ === 0) this.#flowing = deferred();
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        if (--this.#stalls === 0) this.#flowing.resolve();
      },
    };
  }

  #note({ value }: Piece): void {
    if (value === undefined || this.#options.newestIn === undefined) return;
    this.#seenResourceVersion = Math.max(this.#seenResourceVersion, this.#options.newestIn(value));
  }

  async #read(): Promise<Piece> {
    const piece = await this.#source.next();
    await this.#flowing.promise;
    return piece.done === true ? END : piece;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd();
  }
}
