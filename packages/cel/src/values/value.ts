import type { Type } from '../types/type.ts';
import type { ListValue } from './list.ts';
import type { MapValue } from './map.ts';
import type { Duration, Timestamp } from './time.ts';

/**
 * A value while an expression is evaluated. Integers are most of what rules compute with, so they are plain numbers, and
 * bigints beyond 2^53; the rarer doubles and unsigned integers are boxed to be told from them. Errors are values too:
 * `&&`, `||` and the quantifiers may outvote them.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Double
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | TypeValue
  | OptionalValue
  | OpaqueValue
  | CelError;

/** Why an expression has no value. The texts are Kubernetes'. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export function isError(value: Value): value is CelError {
  return typeof value === 'object' && value instanceof CelError;
}

export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value: what `type(x)` gives and what `int` and `string` name. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class OptionalValue {
  static readonly none: OptionalValue = new OptionalValue(undefined);
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    this.value = value;
  }

  static of(value: Value): OptionalValue {
    return new OptionalValue(value);
  }
}

/** A value of a library's own type: an address, a quantity, a decision about authorization. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: OpaqueValue): boolean;
  /** What `string(value)` gives; `undefined` where there is no such thing. */
  text(): string | undefined {
    return undefined;
  }
  /** How much of it there is to look at; most are looked at in one step. */
  get size(): number {
    return 1;
  }
  /** What working with it really takes; see `weightOf`. */
  get weight(): number {
    return 1;
  }
}

export const noSuchOverload: CelError = new CelError('no such overload');
