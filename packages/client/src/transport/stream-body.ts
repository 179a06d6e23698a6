import type { Readable } from 'node:stream';
import { ClientError } from '../errors.ts';
import type { FlowingBody } from './transport.ts';

/** More than this is not taken from the connection before somebody has asked for it. */
const MAX_WAITING_BYTES = 256 * 1024;

/** A body as chunks. Leaving the loop early gives up the connection; one that breaks throws. */
export function streamBody(
  stream: Readable,
  server: string,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Uint8Array> & FlowingBody {
  return new StreamBody(stream, (cause) => {
    if (signal?.aborted) return signal.reason;
    return new ClientError({ code: 'Unreachable', server, isSent: true }, { cause });
  });
}

/** Chunks are given as they came: to read a stream by `for await` copies what came together into one. */
class StreamBody implements AsyncIterableIterator<Uint8Array>, FlowingBody {
  readonly #stream: Readable;
  readonly #failureOf: (cause: unknown) => unknown;
  /** Came and not asked for yet, from the one after `#taken` on. */
  #chunks: Uint8Array[] = [];
  #taken = 0;
  #waitingBytes = 0;
  #isStarted = false;
  /** Nothing more will come. */
  #end: { readonly failure?: unknown } | undefined;
  /** Of the one who waits for the next chunk. */
  #wake: (() => void) | undefined;

  constructor(stream: Readable, failureOf: (cause: unknown) => unknown) {
    this.#stream = stream;
    this.#failureOf = failureOf;
    stream.on('error', (error) => this.#finish({ failure: error }));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isStarted) this.#start((chunk) => this.#put(chunk));
    while (this.#taken === this.#chunks.length && this.#end === undefined) await this.#more();
    const value = this.#take();
    if (value !== undefined) return { value, done: false };
    const end = this.#end!;
    this.#end = {};
    if ('failure' in end) throw this.#failureOf(end.failure);
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#finish({});
    this.#chunks = [];
    this.#taken = 0;
    this.#stream.destroy();
    return { value: undefined, done: true };
  }

  /** Instead of `next`: nothing is kept for somebody who comes for it. */
  flow(take: (chunk: Uint8Array) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        const { failure } = this.#end!;
        if (failure === undefined) resolve();
        else reject(this.#failureOf(failure));
      };
      this.#start((chunk) => {
        if (this.#end !== undefined) return;
        try {
          take(chunk);
        } catch (error) {
          reject(error);
          void this.return();
        }
      });
    });
  }

  #start(put: (chunk: Uint8Array) => void): void {
    this.#isStarted = true;
    const stream = this.#stream;
    if (stream.readableEnded) this.#finish({});
    else if (stream.destroyed) this.#finish({ failure: stream.errored ?? new Error('The stream was closed') });
    if (this.#end !== undefined) return;
    stream.on('data', put);
    stream.once('end', () => this.#finish({}));
    stream.once('close', () => this.#finish({ failure: new Error('The stream ended early') }));
  }

  #put(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#stream.pause();
    this.#wake?.();
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#chunks[this.#taken];
    if (chunk === undefined) return undefined;
    this.#waitingBytes -= chunk.length;
    if (++this.#taken === this.#chunks.length) {
      this.#chunks = [];
      this.#taken = 0;
      if (this.#stream.isPaused()) this.#stream.resume();
    }
    return chunk;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The first to say how it ended is right. */
  #finish(end: { readonly failure?: unknown }): void {
    this.#end ??= end;
    this.#wake?.();
  }
}
