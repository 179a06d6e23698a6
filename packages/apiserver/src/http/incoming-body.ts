import type { Readable } from 'node:stream';
import type { Eventual } from '@pintle/async';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';
import { onceAllIsRead, ReadShare } from './batching.ts';

/** The body of a request as it arrives. Leaving it early leaves the connection usable, so that the answer can go out. */
export class IncomingBody implements AsyncIterable<Uint8Array> {
  readonly #source: Readable;
  readonly #announcedBytes: number;

  /** `contentLength` is the header's value. Node sees to it that no body is longer or shorter. */
  constructor(source: Readable, contentLength: string | undefined) {
    this.#source = source;
    this.#announcedBytes = Number(contentLength);
  }

  /** All of it can be read at once. */
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

  /** All of it: at once, if it is here. Stops at the first byte beyond `maxBytes`: `undefined`. */
  collect(maxBytes: number): Eventual<Uint8Array | undefined> {
    const { readableLength } = this.#source;
    if (readableLength > 0 && readableLength === this.#announcedBytes && readableLength <= maxBytes) {
      return this.#source.read() as Uint8Array;
    }
    return this.#gather(maxBytes);
  }

  /** In a few steps: most bodies are one chunk. */
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
      const end = (): void => finish(() => onceAllIsRead(() => resolve(joined(chunks.take()))));
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
