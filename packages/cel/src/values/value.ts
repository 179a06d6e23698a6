import type { Type } from '../types/type.ts';
import type { ListValue } from './list.ts';
import type { MapValue } from './map.ts';
import type { Duration, Timestamp } from './time.ts';

/**
 * A value during evaluation. Integers, the most common numbers in rules, are plain numbers, and bigints beyond 2^53;
 * doubles and unsigned integers are boxed. Errors are values too: `&&`, `||` and the quantifiers may override them.
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

/** Error of an expression. The texts are Kubernetes'. */
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

/** A type as a value: the result of `type(x)`, and of the names `int` and `string`. */
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

/** A value of a library's type: an address, a quantity, an authorization decision. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: OpaqueValue): boolean;
  /** Returns the result of `string(value)`; `undefined` when not supported. */
  text(): string | undefined {
    return undefined;
  }
  /** Size for costs; most values count as 1. */
  get size(): number {
    return 1;
  }
  /** Actual size of work with it; see `weightOf`. */
  get weight(): number {
    return 1;
  }
}

export const noSuchOverload: CelError = new CelError('no such overload');
