import type { JsonValue } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { isUnchanged } from '@pintle/machinery/schema';

/**
 * Tells whether a value is unchanged. Where old and new values cannot be correlated, the nearest correlatable ancestor
 * decides.
 */
export class Ratchet {
  /** Nothing existed before: everything is new. */
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

  /** Returns the ratchet of a child. Children of uncorrelated values are uncorrelated. */
  below(schema: Schema, before: JsonValue | undefined, now: JsonValue): Ratchet {
    return this.#current === undefined ? this : new Ratchet(pairOf(schema, before, now), this.#current);
  }

  /** Ratchet of the same value for `allOf`, whose rules depend on the ancestor. */
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

/** Compares once, when first needed. */
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
