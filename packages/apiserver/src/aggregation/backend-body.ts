import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A body as it comes from another server. Whoever leaves it ends the request, even before its first chunk. */
export class BackendBody implements AsyncIterable<Uint8Array> {
  readonly #message: Readable;
  readonly #source: Readable;

  /** With `unzip`, what came as gzip goes on plain. */
  constructor(message: Readable, { unzip }: { readonly unzip: boolean }) {
    this.#message = message;
    this.#source = unzip ? unzipped(message) : message;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const chunks = this.#source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    return {
      next: () => chunks.next(),
      return: async () => {
        this.#message.destroy();
        await chunks.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}

function unzipped(message: Readable): Readable {
  const plain = createGunzip();
  message.once('error', (error) => plain.destroy(error));
  plain.once('close', () => message.destroy());
  return message.pipe(plain);
}
