import type { Eventual } from '@pintle/async';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';

/** The body of a request as it arrives on a stream. What nobody takes is not asked for: `onTaken` tells how much was. */
export class RequestBody implements AsyncIterable<Uint8Array> {
  readonly #onTaken: (bytes: number) => void;
  readonly #announcedBytes: number | undefined;
  readonly #chunks = new Chunks();
  #arrivedBytes = 0;
  #state: 'open' | 'whole' | 'broken' | 'unwanted' = 'open';
  #wake: (() => void) | undefined;

  constructor(announcedBytes: number | undefined, onTaken: (bytes: number) => void) {
    this.#announcedBytes = announcedBytes;
    this.#onTaken = onTaken;
  }

  /** Nothing more will come, be it that all is here. */
  get isOver(): boolean {
    return this.#state === 'whole' || this.#state === 'broken';
  }

  get arrivedBytes(): number {
    return this.#arrivedBytes;
  }

  /** False when it is more than was announced. */
  push(chunk: Uint8Array): boolean {
    this.#arrivedBytes += chunk.length;
    if (this.#arrivedBytes > (this.#announcedBytes ?? Number.POSITIVE_INFINITY)) return false;
    if (this.#state === 'unwanted') this.#onTaken(chunk.length);
    else {
      this.#chunks.push(chunk);
      this.#wake?.();
    }
    return true;
  }

  /** False when it is less than was announced. */
  end(): boolean {
    if (this.#announcedBytes !== undefined && this.#arrivedBytes !== this.#announcedBytes) return false;
    this.#state = 'whole';
    this.#wake?.();
    return true;
  }

  /** Nothing more will come, though more should. */
  break(): void {
    if (this.isOver) return;
    this.#state = 'broken';
    this.#chunks.take();
    this.#wake?.();
  }

  /** Whatever comes is dropped. */
  drop(): void {
    if (this.#state === 'open') this.#state = 'unwanted';
    this.#take();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunks = this.#take();
      yield* chunks;
      // More may have come while somebody looked at these.
      if (chunks.length > 0) continue;
      if (this.#state === 'broken') throw cutShort();
      if (this.#state !== 'open') return;
      await this.#more();
    }
  }

  /** All of it: at once, if it is here. Stops at the first byte beyond `maxBytes`: `undefined`. */
  collect(maxBytes: number): Eventual<Uint8Array | undefined> {
    if (this.#state !== 'whole') return this.#gather(maxBytes);
    return this.#chunks.bytes > maxBytes ? undefined : joined(this.#take());
  }

  async #gather(maxBytes: number): Promise<Uint8Array | undefined> {
    const chunks = new Chunks();
    for await (const chunk of this) {
      chunks.push(chunk);
      if (chunks.bytes > maxBytes) return undefined;
    }
    return joined(chunks.take());
  }

  #take(): Uint8Array[] {
    const { bytes } = this.#chunks;
    const chunks = this.#chunks.take();
    if (bytes > 0) this.#onTaken(bytes);
    return chunks;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function cutShort(): Error {
  return badRequestError('the connection was closed before the body was complete');
}
