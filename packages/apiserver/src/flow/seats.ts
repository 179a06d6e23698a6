import { shareOf } from '../request/client-share.ts';

/** A number of seats, of which one client may hold a fraction. */
export class Seats {
  readonly #max: number;
  readonly #maxPerClient: number;
  /** Seats by client. */
  readonly #held = new Map<string, number>();
  #taken = 0;

  /** `maxPerClient` is the number for a lone client. With others, a client may hold the same fraction of what they leave. */
  constructor(max: number, maxPerClient = max) {
    this.#max = max;
    this.#maxPerClient = maxPerClient;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a seat and returns a function that releases it, once; `full` when no seat is free. While seats are free, a client
   * without one always gets one.
   */
  take(client: string): (() => void) | 'full' {
    const held = this.#held.get(client) ?? 0;
    if (this.#taken >= this.#max || (held > 0 && held + 1 > this.#shareOf(held))) return 'full';
    this.#taken++;
    this.#held.set(client, held + 1);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#leave(client);
    };
  }

  #shareOf(held: number): number {
    return shareOf(held, { max: this.#max, maxPerClient: this.#maxPerClient, total: this.#taken });
  }

  #leave(client: string): void {
    this.#taken--;
    const held = this.#held.get(client)! - 1;
    if (held === 0) this.#held.delete(client);
    else this.#held.set(client, held);
  }
}
