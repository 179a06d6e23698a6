/** Smaller chunks are copied into buffers of `TAIL_BYTES`. */
const MIN_CHUNK_BYTES = 1024;
const TAIL_BYTES = 16 * 1024;

/**
 * Holds the chunks of a body as they arrive. A chunk is a view of everything that one read of the socket returned, and keeps
 * all of that in memory: a peer that sends a body byte by byte would hold thousands of times its size. Small chunks after the
 * first are therefore copied.
 */
export class Chunks {
  #list: Uint8Array[] = [];
  #bytes = 0;
  #tail: Buffer | undefined;
  #tailBytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Copies the chunk when `isLent`: its memory is overwritten later. */
  push(chunk: Uint8Array, isLent = false): void {
    this.#bytes += chunk.length;
    if (this.#list.length === 0 || isLarge(chunk)) {
      this.#endTail();
      this.#list.push(isLent ? Uint8Array.prototype.slice.call(chunk) : chunk);
    } else this.#append(chunk);
  }

  /** Returns all chunks and leaves none. */
  take(): Uint8Array[] {
    this.#endTail();
    const list = this.#list;
    if (list.length > 0) this.#list = [];
    this.#bytes = 0;
    return list;
  }

  #append(chunk: Uint8Array): void {
    if (this.#tail === undefined || this.#tailBytes + chunk.length > this.#tail.length) {
      this.#endTail();
      this.#tail = Buffer.allocUnsafeSlow(Math.max(TAIL_BYTES, chunk.length));
    }
    this.#tail.set(chunk, this.#tailBytes);
    this.#tailBytes += chunk.length;
  }

  #endTail(): void {
    if (this.#tail === undefined) return;
    this.#list.push(this.#tail.subarray(0, this.#tailBytes));
    this.#tail = undefined;
    this.#tailBytes = 0;
  }
}

/** True when the chunk keeps little more than itself in memory. */
function isLarge(chunk: Uint8Array): boolean {
  return chunk.length >= MIN_CHUNK_BYTES && chunk.length * 2 > chunk.buffer.byteLength;
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
