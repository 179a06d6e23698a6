const BUFFER_BYTES = 256 * 1024;

/** Receives coalesced chunks. */
export interface ChunkReceiver {
  /** `bytes` are overwritten after the call returns. */
  receive(bytes: Buffer): void;
}

/**
 * Joins the small pieces of a long body that arrive in one turn of the event loop: frames and TLS records split it. Passing on
 * fewer, larger chunks is cheaper, and separates reading from processing.
 */
export class ChunkCoalescer {
  #buffer: Buffer | undefined;
  #bytes = 0;
  #receiver: ChunkReceiver | undefined;

  /** Flushes first when the receiver changes or the buffer is full. */
  add(receiver: ChunkReceiver, bytes: Buffer): void {
    if (this.#receiver !== receiver || this.#bytes + bytes.length > BUFFER_BYTES) this.flush();
    this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#receiver = receiver;
    this.#bytes += bytes.copy(this.#buffer, this.#bytes);
  }

  flush(): void {
    const [receiver, bytes] = [this.#receiver, this.#bytes];
    this.#receiver = undefined;
    this.#bytes = 0;
    receiver?.receive(this.#buffer!.subarray(0, bytes));
  }
}
