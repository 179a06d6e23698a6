import type { Random } from '@pintle/async';

/** Choices of a seeded generator. */
export class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  below(bound: number): number {
    return this.#random.below(bound);
  }

  /** From 0 up to, but not, 1. */
  fraction(): number {
    return this.#random.next();
  }

  isLucky(probability: number): boolean {
    return this.#random.next() < probability;
  }

  from<T>(choices: readonly T[]): T {
    return choices[this.#random.below(choices.length)]!;
  }

  bytes(maxLength: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(maxLength + 1) }, () => this.below(256)));
  }

  /** Text of printable characters, or of any Latin-1 but control characters. */
  text(maxLength: number): string {
    return Array.from({ length: this.below(maxLength + 1) }, () => String.fromCharCode(32 + this.below(95))).join('');
  }
}
