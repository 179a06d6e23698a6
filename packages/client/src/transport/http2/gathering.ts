const GATHERED_BYTES = 256 * 1024;

/** Who wants what was gathered. */
export interface Gatherer {
  /** Lent until this returns. */
  give(bytes: Buffer): void;
}

/**
 * A long body comes in small pieces, many in a turn of the loop: frames and TLS records cut it. They are put together here
 * before they are given, which is cheaper than to look at each, and keeps what reads apart from what looks.
 */
export class Gathering {
  #buffer: Buffer | undefined;
  #bytes = 0;
  #gatherer: Gatherer | undefined;

  /** What was gathered for another, or leaves no room, is given first. */
  add(gatherer: Gatherer, bytes: Buffer): void {
    if (this.#gatherer !== gatherer || this.#bytes + bytes.length > GATHERED_BYTES) this.give();
    this.#buffer ??= Buffer.allocUnsafeSlow(GATHERED_BYTES);
    this.#gatherer = gatherer;
    this.#bytes += bytes.copy(this.#buffer, this.#bytes);
  }

  give(): void {
    const [gatherer, bytes] = [this.#gatherer, this.#bytes];
    this.#gatherer = undefined;
    this.#bytes = 0;
    gatherer?.give(this.#buffer!.subarray(0, bytes));
  }
}
