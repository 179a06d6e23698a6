/** A number of seats, of which one user may have a part. */
export class Seats {
  readonly #max: number;
  readonly #maxPerUser: number;
  /** Users who hold a seat, and how many. */
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(max: number, maxPerUser = max) {
    this.#max = max;
    this.#maxPerUser = maxPerUser;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a seat and gives the way to leave it, which works once; `full` when there is none. */
  take(user: string): (() => void) | 'full' {
    const held = this.#held.get(user) ?? 0;
    if (this.#taken >= this.#max || held >= this.#maxPerUser) return 'full';
    this.#taken++;
    this.#held.set(user, held + 1);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#leave(user);
    };
  }

  #leave(user: string): void {
    this.#taken--;
    const held = this.#held.get(user)! - 1;
    if (held === 0) this.#held.delete(user);
    else this.#held.set(user, held);
  }
}
