import { createHash } from 'node:crypto';
import type { WordSource } from './draw.ts';
import { drawBelow, drawUnit, drawUuid } from './draw.ts';
import type { Random } from './random.ts';

/**
 * Returns the same numbers for the same seed, on every machine and in every release. For tests and simulations only: the
 * numbers can be predicted from the seed.
 */
export class SeededRandom implements Random {
  readonly #seed: string;
  readonly #word: WordSource;

  constructor(seed: number | string) {
    this.#seed = String(seed);
    this.#word = smallFastCounter(createHash('sha256').update(this.#seed).digest());
  }

  next(): number {
    return drawUnit(this.#word);
  }

  below(bound: number): number {
    return drawBelow(this.#word, bound);
  }

  uuid(): string {
    return drawUuid(this.#word);
  }

  /**
   * Returns an independent sequence that depends on this seed and `name` only, not on earlier draws. With one for each actor
   * of a simulation, a change to one actor does not change the numbers of the others.
   */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${name}`);
  }
}

/** Chris Doty-Humphrey's sfc32: three words of state and a counter; passes PractRand, and 32-bit integers suffice. */
function smallFastCounter(seed: Buffer): WordSource {
  let a = seed.readInt32LE(0);
  let b = seed.readInt32LE(4);
  let c = seed.readInt32LE(8);
  let counter = 1;
  return () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
}
