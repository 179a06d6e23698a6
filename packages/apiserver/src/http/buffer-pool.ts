/** Shorter buffers are cheap to allocate, and not pooled. */
const MIN_BYTES = 64 * 1024;
const STEP_BYTES = 128 * 1024;
const MAX_FREE_BYTES = 8 * 1024 * 1024;

/**
 * Reuses the memory of long responses. Clearing fresh memory and collecting it take longer than filling it. A buffer that is
 * not given back is garbage-collected like any other.
 */
export class BufferPool {
  readonly #taken = new WeakSet<ArrayBufferLike>();
  readonly #free: ArrayBufferLike[] = [];
  #freeBytes = 0;

  /** Returns a buffer of that length, with arbitrary content. */
  take(length: number): Uint8Array {
    if (length < MIN_BYTES) return Buffer.allocUnsafeSlow(length);
    const buffer = this.#fitting(length) ?? Buffer.allocUnsafeSlow(Math.ceil(length / STEP_BYTES) * STEP_BYTES).buffer;
    this.#taken.add(buffer);
    return Buffer.from(buffer, 0, length);
  }

  /** Returns a buffer to the pool. Has no effect unless it was taken here and not given back yet. */
  giveBack({ buffer }: Uint8Array): void {
    if (buffer.byteLength > MAX_FREE_BYTES || !this.#taken.delete(buffer)) return;
    this.#free.push(buffer);
    this.#freeBytes += buffer.byteLength;
    while (this.#freeBytes > MAX_FREE_BYTES) this.#freeBytes -= this.#free.shift()!.byteLength;
  }

  #fitting(length: number): ArrayBufferLike | undefined {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= length && byteLength < length + 2 * STEP_BYTES);
    if (at === -1) return undefined;
    const [buffer] = this.#free.splice(at, 1);
    this.#freeBytes -= buffer!.byteLength;
    return buffer;
  }
}
