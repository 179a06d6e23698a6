const MAX_BLOCK_BYTES = 64 * 1024;

/** Holds unread bytes in blocks, so that many small pieces take no more memory than a few large ones. */
export class Backlog {
  #blocks: Buffer[] = [];
  /** Bytes used in the last block. */
  #used = 0;

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Copies the bytes. `expected` is the number of bytes that may follow. */
  push(bytes: Buffer, expected = 0): void {
    const last = this.#blocks.at(-1);
    const used = last === undefined ? 0 : bytes.copy(last, this.#used);
    this.#used += used;
    if (used === bytes.length) return;
    const rest = bytes.subarray(used);
    const room = Math.min(last === undefined ? expected : last.length * 2, MAX_BLOCK_BYTES);
    const block = Buffer.allocUnsafe(Math.max(rest.length, room));
    this.#used = rest.copy(block);
    this.#blocks.push(block);
  }

  /** Removes and returns the oldest block. */
  shift(): Buffer | undefined {
    const block = this.#blocks.shift();
    return this.isEmpty ? block?.subarray(0, this.#used) : block;
  }

  /** Removes and returns all bytes. */
  takeAll(): Buffer {
    const blocks = this.#blocks;
    this.#blocks = [];
    const last = blocks.pop()?.subarray(0, this.#used);
    if (last === undefined) return Buffer.alloc(0);
    return blocks.length === 0 ? last : Buffer.concat([...blocks, last]);
  }
}
