import type { Readable } from 'node:stream';
import { ClientError } from '../errors.ts';
import type { FlowingBody } from './transport.ts';

/** Source of the bytes of a body. */
export interface ByteSource {
  /** True when a chunk is overwritten after the sink has returned. */
  readonly isLending: boolean;
  /** Starts sending chunks to the sink. Called once. */
  start(sink: ByteSink): void;
  pause(): void;
  resume(): void;
  /** Drops the rest, and closes the connection or stream. */
  destroy(): void;
}

export interface ByteSink {
  chunk(bytes: Uint8Array): void;
  /** Called when the body is complete. */
  end(): void;
  /** Called when the body fails. Later calls of `end` and `fail` have no effect. */
  fail(cause: unknown): void;
}

/** Returns a body as chunks. Leaving the loop early closes the connection; a broken connection throws. */
export function bodyOf(
  source: ByteSource,
  server: string,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Uint8Array> & FlowingBody {
  return new StreamBody(source, (cause) => {
    if (signal?.aborted) return signal.reason;
    return new ClientError({ code: 'Unreachable', server, isSent: true }, { cause });
  });
}

export function streamBody(
  stream: Readable,
  server: string,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Uint8Array> & FlowingBody {
  return bodyOf(new ReadableSource(stream), server, signal);
}

/** Unread bytes after which the source is paused. */
const MAX_WAITING_BYTES = 256 * 1024;

/** Passes chunks on as they arrive: `for await` over a stream would copy several into one. */
class StreamBody implements AsyncIterableIterator<Uint8Array>, FlowingBody {
  readonly #source: ByteSource;
  readonly #failureOf: (cause: unknown) => unknown;
  /** Received chunks; those from `#taken` on are unread. */
  #chunks: Uint8Array[] = [];
  #taken = 0;
  #waitingBytes = 0;
  #isStarted = false;
  #isPaused = false;
  /** Set at the end of the body. */
  #end: { readonly failure?: unknown } | undefined;
  /** Wakes the reader that waits for the next chunk. */
  #wake: (() => void) | undefined;

  constructor(source: ByteSource, failureOf: (cause: unknown) => unknown) {
    this.#source = source;
    this.#failureOf = failureOf;
  }

  get isLending(): boolean {
    return this.#source.isLending;
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
    this.#source.destroy();
    return { value: undefined, done: true };
  }

  /** Used instead of `next`: does not buffer chunks. */
  flow(take: (chunk: Uint8Array) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        const end = this.#end!;
        if ('failure' in end) reject(this.#failureOf(end.failure));
        else resolve();
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

  #start(chunk: (bytes: Uint8Array) => void): void {
    this.#isStarted = true;
    if (this.#end !== undefined) this.#wake?.();
    else
      this.#source.start({
        chunk,
        end: () => this.#finish({}),
        fail: (failure) => this.#finish({ failure }),
      });
  }

  #put(chunk: Uint8Array): void {
    this.#chunks.push(this.#source.isLending ? Uint8Array.prototype.slice.call(chunk) : chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
    this.#wake?.();
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#chunks[this.#taken];
    if (chunk === undefined) return undefined;
    this.#waitingBytes -= chunk.length;
    if (++this.#taken === this.#chunks.length) {
      this.#chunks = [];
      this.#taken = 0;
      if (this.#isPaused) {
        this.#isPaused = false;
        this.#source.resume();
      }
    }
    return chunk;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Only the first call counts. */
  #finish(end: { readonly failure?: unknown }): void {
    this.#end ??= end;
    this.#wake?.();
  }
}

/** Replaces the messages of Node.js for a closed connection, which do not describe it. */
export function describeDisconnect(cause: Error): Error {
  if (cause.message !== 'aborted' && cause.message !== 'socket hang up') return cause;
  return new Error('the connection was closed before the response was complete', { cause });
}

/** Reads from a stream of Node.js. */
class ReadableSource implements ByteSource {
  readonly isLending = false;
  readonly #stream: Readable;
  #failure: { readonly cause: unknown } | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('error', (cause) => {
      this.#failure ??= { cause: describeDisconnect(cause) };
    });
  }

  start(sink: ByteSink): void {
    const stream = this.#stream;
    if (this.#failure !== undefined) sink.fail(this.#failure.cause);
    else if (stream.readableEnded) sink.end();
    else if (stream.destroyed) sink.fail(stream.errored ?? new Error('the connection was closed'));
    else {
      stream.on('error', (cause) => sink.fail(describeDisconnect(cause)));
      stream.on('data', (chunk: Uint8Array) => sink.chunk(chunk));
      stream.once('end', () => sink.end());
      stream.once('close', () => sink.fail(new Error('the connection was closed before the response was complete')));
    }
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
