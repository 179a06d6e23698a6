import type { Readable } from 'node:stream';
import type { Eventual } from '@pintle/async';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';
import { afterPollPhase, ReadShare } from './batching.ts';

/** Body of a request on a stream of Node.js. Leaving it early keeps the connection open for the response. */
export class IncomingBody implements AsyncIterable<Uint8Array> {
  readonly #source: Readable;
  readonly #announcedBytes: number;

  /** `contentLength` is the header's value, which Node.js enforces. */
  constructor(source: Readable, contentLength: string | undefined) {
    this.#source = source;
    this.#announcedBytes = Number(contentLength);
  }

  /** True when the whole body has arrived. */
  get isHere(): boolean {
    const { readableLength, readableEnded } = this.#source;
    return readableEnded || readableLength === this.#announcedBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    } catch {
      throw cutShort();
    }
  }

  /** Returns the whole body, synchronously if it has arrived; `undefined` at the first byte beyond `maxBytes`. */
  collect(maxBytes: number): Eventual<Uint8Array | undefined> {
    const { readableLength } = this.#source;
    if (readableLength > 0 && readableLength === this.#announcedBytes && readableLength <= maxBytes) {
      return this.#source.read() as Uint8Array;
    }
    return this.#gather(maxBytes);
  }

  /** Collects the chunks by events: most bodies are one chunk. */
  #gather(maxBytes: number): Promise<Uint8Array | undefined> {
    const source = this.#source;
    return new Promise((resolve, reject) => {
      const chunks = new Chunks();
      const share = new ReadShare(source);
      const finish = (settle: () => void): void => {
        share.stop();
        source.off('data', take).off('end', end).off('error', fail).off('close', fail);
        settle();
      };
      const take = (chunk: Uint8Array): void => {
        chunks.push(chunk);
        share.add(chunk.length);
        if (chunks.bytes <= maxBytes) return;
        source.pause();
        finish(() => resolve(undefined));
      };
      const end = (): void => finish(() => afterPollPhase(() => resolve(joined(chunks.take()))));
      const fail = (): void => finish(() => reject(cutShort()));
      if (source.readableEnded) end();
      else if (source.destroyed) fail();
      else source.on('data', take).on('end', end).on('error', fail).on('close', fail);
    });
  }
}

function cutShort(): Error {
  return badRequestError('the connection was closed before the body was complete');
}
