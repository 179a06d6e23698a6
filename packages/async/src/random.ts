/** Source of all randomness: the system's in production, a seed in tests and simulations. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer in [0, bound). */
  below(bound: number): number;
  /** Returns a version 4 UUID. */
  uuid(): string;
}
