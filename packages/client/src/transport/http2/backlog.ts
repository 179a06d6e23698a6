const MAX_BLOCK_BYTES = 64 * 1024;

/** Bytes that nobody has taken yet, in blocks: many small pieces of them take no more room than a few large ones. */
export class Backlog {
  #blocks: Buffer[] = [];
  /** Of the last block. */
  #used = 0;

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Copies them. `expected`: so many may follow. */
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

  /** The first that came, some of them. */
  shift(): Buffer | undefined {
    const block = this.#blocks.shift();
    return this.isEmpty ? block?.subarray(0, this.#used) : block;
  }

  /** All that came, which is then gone from here. */
  takeAll(): Buffer {
    const blocks = this.#blocks;
    this.#blocks = [];
    const last = blocks.pop()?.subarray(0, this.#used);
    if (last === undefined) return Buffer.alloc(0);
    return blocks.length === 0 ? last : Buffer.concat([...blocks, last]);
  }
}
