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
   * Takes seats and returns a function that releases them, once; `full` when too few are free. While enough are free, a client
   * without seats always gets what it asks for.
   */
  take(client: string, seats = 1): (() => void) | 'full' {
    const held = this.#held.get(client) ?? 0;
    if (this.#taken + seats > this.#max || (held > 0 && held + seats > this.#shareOf(held))) return 'full';
    this.#taken += seats;
    this.#held.set(client, held + seats);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#leave(client, seats);
    };
  }

  #shareOf(held: number): number {
    return shareOf(held, { max: this.#max, maxPerClient: this.#maxPerClient, total: this.#taken });
  }

  #leave(client: string, seats: number): void {
    this.#taken -= seats;
    const held = this.#held.get(client)! - seats;
    if (held === 0) this.#held.delete(client);
    else this.#held.set(client, held);
  }
}
