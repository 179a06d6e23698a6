/** Shorter ones cost nothing that could be saved. */
const MIN_BYTES = 64 * 1024;
const STEP_BYTES = 128 * 1024;
const MAX_FREE_BYTES = 8 * 1024 * 1024;

/**
 * Room that answers are put together in. Fresh memory for every long answer has to be cleared by the system, and is
 * collected in pauses of the whole engine: both take longer than to fill it. Who takes room and never gives it back does
 * no harm, it is collected like any other.
 */
export class Rooms {
  readonly #taken = new WeakSet<ArrayBufferLike>();
  readonly #free: ArrayBufferLike[] = [];
  #freeBytes = 0;

  /** So many bytes, whatever they hold. */
  take(length: number): Uint8Array {
    if (length < MIN_BYTES) return Buffer.allocUnsafeSlow(length);
    const room = this.#fitting(length) ?? Buffer.allocUnsafeSlow(Math.ceil(length / STEP_BYTES) * STEP_BYTES).buffer;
    this.#taken.add(room);
    return Buffer.from(room, 0, length);
  }

  /** Nobody will look at these bytes any more. Does nothing unless they were taken here, and not given back yet. */
  giveBack({ buffer }: Uint8Array): void {
    if (buffer.byteLength > MAX_FREE_BYTES || !this.#taken.delete(buffer)) return;
    this.#free.push(buffer);
    this.#freeBytes += buffer.byteLength;
    while (this.#freeBytes > MAX_FREE_BYTES) this.#freeBytes -= this.#free.shift()!.byteLength;
  }

  #fitting(length: number): ArrayBufferLike | undefined {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= length && byteLength < length + 2 * STEP_BYTES);
    if (at === -1) return undefined;
    const [room] = this.#free.splice(at, 1);
    this.#freeBytes -= room!.byteLength;
    return room;
  }
}
