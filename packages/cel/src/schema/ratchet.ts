import type { JsonValue } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { isUnchanged } from '@pintle/machinery/schema';

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

  static between(schema: Schema, before: JsonValue | undefined, now: JsonValue): Ratchet {
    return new Ratchet(pairOf(schema, before, now), undefined);
  }

  get isUnchanged(): boolean {
    return (this.#current ?? this.#above)?.isSame ?? false;
  }

  /** One step further down. Below a place without a counterpart, nothing has one. */
  below(schema: Schema, before: JsonValue | undefined, now: JsonValue): Ratchet {
    return this.#current === undefined ? this : new Ratchet(pairOf(schema, before, now), this.#current);
  }

  /** The same place as `allOf` sees it: its rules are held against whatever changed around it. */
  get ofAllOf(): Ratchet {
    return new Ratchet(undefined, this.#above);
  }
}

interface Pair {
  readonly isSame: boolean;
}

function pairOf(schema: Schema, before: JsonValue | undefined, now: JsonValue): Pair | undefined {
  return before === undefined || before === null ? undefined : new ComparedPair(schema, before, now);
}

/** Compared when somebody asks, once. */
class ComparedPair implements Pair {
  readonly #schema: Schema;
  readonly #before: JsonValue;
  readonly #now: JsonValue;
  #isSame: boolean | undefined;

  constructor(schema: Schema, before: JsonValue, now: JsonValue) {
    this.#schema = schema;
    this.#before = before;
    this.#now = now;
  }

  get isSame(): boolean {
    this.#isSame ??= isUnchanged(this.#schema, this.#now, this.#before);
    return this.#isSame;
  }
}
