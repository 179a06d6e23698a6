import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { OutboundResponse } from './exchange.ts';
import { OutboundError } from './exchange.ts';

/**
 * Body of a response of another server. Leaving it ends the request, even before the first chunk. Fails when the response is
 * incomplete: Node ends an HTTP/2 stream without an error when it is cancelled or its connection is cut.
 */
export class ResponseBody implements AsyncIterable<Uint8Array> {
  readonly #message: Readable;
  readonly #source: Readable;
  /** Content-length; `undefined` when absent. */
  readonly #length: number | undefined;

  /** Decompresses gzip when `unzip` is set. */
  constructor({ body, headers }: Pick<OutboundResponse, 'body' | 'headers'>, { unzip = false } = {}) {
    this.#message = body;
    this.#source = unzip ? unzipped(body) : body;
    const length = headers['content-length'];
    // Gzip detects an incomplete body itself.
    this.#length = unzip || length === undefined ? undefined : Number(length);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const chunks = this.#source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    let taken = 0;
    return {
      next: async () => {
        const step = await chunks.next();
        if (step.done) this.#checkComplete(taken);
        else taken += step.value.length;
        return step;
      },
      return: async () => {
        this.#message.destroy();
        await chunks.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  #checkComplete(taken: number): void {
    if (!this.#message.readableEnded || (this.#length !== undefined && this.#length !== taken))
      throw new OutboundError({ code: 'BrokenOff' });
  }
}

function unzipped(message: Readable): Readable {
  const plain = createGunzip();
  message.once('error', (error) => plain.destroy(error));
  message.once('close', () => {
    if (!message.readableEnded) plain.destroy(new OutboundError({ code: 'BrokenOff' }));
  });
  plain.once('close', () => message.destroy());
  return message.pipe(plain);
}
