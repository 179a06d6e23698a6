import type { Socket } from 'node:net';
import { Fault } from './frame.ts';

/** Bodies wait while more than this is not gone yet. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Who asks and asks but does not take the answers is cut off. */
const MAX_ANSWERS = 1_000;

/** What is to be sent. What is written in one tick goes together. */
export class Outbox {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  #isCorked = false;
  /** Not gone yet. */
  #answers = 0;

  /** Who lets more than `maxBytes` wait is cut off: heads of answers, unlike bodies, are never held back. */
  constructor(socket: Socket, { maxBytes = Number.POSITIVE_INFINITY }: { readonly maxBytes?: number } = {}) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
  }

  get isFull(): boolean {
    return this.#socket.writableLength > MAX_WAITING_BYTES;
  }

  /** Calls back when the bytes have left; never, if they do not. */
  write(bytes: Uint8Array, onGone?: () => void): void {
    if (this.#socket.writableLength > this.#maxBytes) this.#socket.destroy();
    else if (this.#cork()) this.#socket.write(bytes, onGone && ((error) => error ?? onGone()));
  }

  /** Writes what the other side, not we, made necessary. */
  answer(frame: Buffer): void {
    if (++this.#answers > MAX_ANSWERS) throw new Fault('ENHANCE_YOUR_CALM', 'the answers are not taken');
    if (this.#cork()) this.#socket.write(frame, this.#onAnswered);
  }

  /** Says a last word, which may not arrive. */
  close(last: Buffer): void {
    this.#uncork();
    if (this.#socket.writable) this.#socket.write(last);
    setImmediate(() => this.#socket.destroy());
  }

  #cork(): boolean {
    if (!this.#socket.writable) return false;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(this.#uncork);
    }
    return true;
  }

  readonly #uncork = (): void => {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  };

  readonly #onAnswered = (): void => {
    this.#answers--;
  };
}
