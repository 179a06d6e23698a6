import type { WatchFrame } from '../../protocol.ts';

/** A frame of a shared stream, or some of the bytes that belong to it: those may come in several parts. */
export interface Part {
  readonly frame: WatchFrame;
  readonly bytes?: Uint8Array;
}

/** Takes a shared stream apart, whatever the pieces that it comes in. */
export class FrameReader {
  readonly #decoder = new TextDecoder();
  #line = '';
  #frame: WatchFrame | undefined;
  /** Bytes of the frame that are still to come. */
  #left = 0;

  *read(chunk: Uint8Array): Generator<Part> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const bytes = chunk.subarray(at, at + this.#left);
        at += bytes.length;
        this.#left -= bytes.length;
        yield { frame: this.#frame!, bytes };
        continue;
      }
      const end = chunk.indexOf(NEWLINE, at);
      this.#line += this.#decoder.decode(chunk.subarray(at, end < 0 ? chunk.length : end), { stream: true });
      if (end < 0) return;
      at = end + 1;
      const frame = JSON.parse(this.#line) as WatchFrame;
      this.#line = '';
      this.#frame = frame;
      if ('bytes' in frame) this.#left = frame.bytes;
      else yield { frame };
    }
  }
}

const NEWLINE = 10;
