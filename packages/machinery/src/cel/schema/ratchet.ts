import { deepEqual, type JsonValue } from '../../json/index.ts';

/**
 * Whether what stands at a place is what stood there before. Where old and new values cannot be told to belong together
 * the nearest place above decides, where they can.
 */
export class Ratchet {
  /** Nothing stood here before, and nothing above did: all is new. */
  static readonly none: Ratchet = new Ratchet(undefined, undefined);

  readonly #current: Pair | undefined;
  readonly #above: Pair | undefined;

  private constructor(current: Pair | undefined, above: Pair | undefined) {
    this.#current = current;
    this.#above = above;
  }

  static between(before: JsonValue | undefined, now: JsonValue): Ratchet {
    return new Ratchet(pairOf(before, now), undefined);
  }

  get isUnchanged(): boolean {
    return (this.#current ?? this.#above)?.isSame ?? false;
  }

  /** One step further down. Below a place without a counterpart, nothing has one. */
  below(before: JsonValue | undefined, now: JsonValue): Ratchet {
    return this.#current === undefined ? this : new Ratchet(pairOf(before, now), this.#current);
  }

  /** The same place as `allOf` sees it: its rules are held against whatever changed around it. */
  get ofAllOf(): Ratchet {
    return new Ratchet(undefined, this.#above);
  }
}

interface Pair {
  readonly isSame: boolean;
}

function pairOf(before: JsonValue | undefined, now: JsonValue): Pair | undefined {
  return before === undefined || before === null ? undefined : new ComparedPair(before, now);
}

/** Compared when somebody asks, once. */
class ComparedPair implements Pair {
  readonly #before: JsonValue;
  readonly #now: JsonValue;
  #isSame: boolean | undefined;

  constructor(before: JsonValue, now: JsonValue) {
    this.#before = before;
    this.#now = now;
  }

  get isSame(): boolean {
    this.#isSame ??= deepEqual(this.#before, this.#now);
    return this.#isSame;
  }
}
