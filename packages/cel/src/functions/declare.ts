import type { Type } from '../types/type.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { Double, OpaqueValue, OptionalValue, TypeValue, Uint, type Value } from '../values/value.ts';

/** Implementation of an overload. Its arguments have the declared types and are never errors. */
export type Implementation = (...args: never[]) => Value;

/** One signature of a function. */
export interface Overload {
  /** Unique among all functions, as in Kubernetes, whose costs depend on it. */
  readonly id: string;
  /** Called as `first.name(rest)`, with the receiver as the first argument. */
  readonly isMember: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly call: Implementation;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Implements all overloads of an operator, and checks the types itself. */
  readonly dynamic?: (...args: Value[]) => Value;
}

/** A set of functions under Kubernetes' name for it. */
export interface Library {
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  /** Types that expressions may compare `type(x)` with. */
  readonly types?: readonly Type[];
}

export function func(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

export function member(id: string, args: readonly Type[], result: Type, call: Implementation): Overload {
  return { id, isMember: true, args, result, call };
}

export function global(id: string, args: readonly Type[], result: Type, call: Implementation): Overload {
  return { id, isMember: false, args, result, call };
}

/** Returns a shallow type check: for lists and maps it looks at the first entry only. */
export function guardOf(type: Type): (value: Value) => boolean {
  switch (type.kind) {
    case 'bool':
      return (value) => typeof value === 'boolean';
    case 'int':
      return (value) => typeof value === 'number' || typeof value === 'bigint';
    case 'string':
      return (value) => typeof value === 'string';
    case 'null':
      return (value) => value === null;
    case 'list':
      return listGuard(type.params[0]!);
    case 'map':
      return mapGuard(type.params[0]!, type.params[1]!);
    case 'struct':
    case 'opaque':
      return opaqueGuard(type.name);
    default: {
      const boxed = boxes[type.kind];
      return boxed === undefined ? () => true : (value) => value instanceof boxed;
    }
  }
}

const boxes: Partial<Record<Type['kind'], abstract new (...args: never[]) => object>> = {
  double: Double,
  uint: Uint,
  bytes: Uint8Array,
  timestamp: Timestamp,
  duration: Duration,
  type: TypeValue,
};

const isOpen = ({ kind }: Type): boolean => kind === 'param' || kind === 'dyn';

function listGuard(item: Type): (value: Value) => boolean {
  if (isOpen(item)) return (value) => value instanceof ListValue;
  const guard = guardOf(item);
  return (value) => value instanceof ListValue && (value.size === 0 || guard(value.at(0)));
}

function mapGuard(key: Type, value: Type): (value: Value) => boolean {
  const guards = [guardOf(key), guardOf(value)] as const;
  if (isOpen(key) && isOpen(value)) return (map) => map instanceof MapValue;
  return (map) => {
    if (!(map instanceof MapValue)) return false;
    const [first] = map.keys();
    return first === undefined || (guards[0](first) && guards[1](map.get(first) ?? null));
  };
}

function opaqueGuard(name: string): (value: Value) => boolean {
  if (name === 'optional_type') return (value) => value instanceof OptionalValue;
  return (value) => value instanceof OpaqueValue && value.type.name === name;
}
