import { shareOf } from '../request/client-share.ts';

/** A number of seats, of which one client may have a part. */
export class Seats {
  readonly #max: number;
  readonly #maxPerClient: number;
  /** Clients that hold a seat, and how many. */
  readonly #held = new Map<string, number>();
  #taken = 0;

  /** `maxPerClient`: how many a lone client may hold; others may hold the same part of what is left to them. */
  constructor(max: number, maxPerClient = max) {
    this.#max = max;
    this.#maxPerClient = maxPerClient;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a seat and gives the way to leave it, which works once; `full` when there is none. While there are seats, a client
   * that has none is given one.
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
