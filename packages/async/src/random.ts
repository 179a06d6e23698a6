/** Where all randomness comes from: the machine's in production, a seed in tests and simulations. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number from 0 (included) to `bound` (excluded). */
  below(bound: number): number;
  /** A version 4 UUID. */
  uuid(): string;
}
