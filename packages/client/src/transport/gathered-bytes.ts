/** A chunk that is shorter is copied into a block with others: alone it would take many times its size. */
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 16 * 1024;

/** The chunks of a body, kept until all have come. A server that sends one byte at a time takes no more room for it. */
export class GatheredBytes {
  #parts: Uint8Array[] = [];
  /** Where small chunks go: `#block` up to `#end`, of which `#start` on are not among the parts yet. */
  #block = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `isLent`: the chunk is overwritten later and has to be copied. */
  add(chunk: Uint8Array, isLent: boolean): void {
    this.#size += chunk.length;
    if (this.#parts.length > 0 && chunk.length < SMALL_BYTES) this.#addSmall(chunk);
    else {
      this.#endPart();
      this.#parts.push(isLent ? Uint8Array.prototype.slice.call(chunk) : chunk);
    }
  }

  /** All of them, which are then gone from here. */
  takeAll(): Uint8Array {
    this.#endPart();
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #addSmall(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#block.length) {
      this.#endPart();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#start = 0;
      this.#end = 0;
    }
    this.#block.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  #endPart(): void {
    if (this.#start < this.#end) this.#parts.push(this.#block.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}
