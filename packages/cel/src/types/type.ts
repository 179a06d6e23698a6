export type Kind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'struct'
  | 'opaque'
  | 'type'
  | 'param';

/** A type in the checker. `struct` types have fields; `opaque` ones only functions. */
export interface Type {
  readonly kind: Kind;
  /** Name of a struct, an opaque type or a type parameter; else of the kind. */
  readonly name: string;
  readonly params: readonly Type[];
}

function simple(kind: Kind, name: string = kind): Type {
  return Object.freeze({ kind, name, params: [] });
}

export const DYN = simple('dyn');
export const ERROR = simple('error', '!error!');
export const NULL = simple('null', 'null_type');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp');
export const DURATION = simple('duration', 'google.protobuf.Duration');

export function listType(item: Type): Type {
  return { kind: 'list', name: 'list', params: [item] };
}

export function mapType(key: Type, value: Type): Type {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function structType(name: string): Type {
  return { kind: 'struct', name, params: [] };
}

export function opaqueType(name: string, ...params: readonly Type[]): Type {
  return { kind: 'opaque', name, params };
}

export function optionalType(value: Type): Type {
  return opaqueType('optional_type', value);
}

export function typeType(of: Type): Type {
  return { kind: 'type', name: 'type', params: [of] };
}

export function paramType(name: string): Type {
  return { kind: 'param', name, params: [] };
}

export function isOptional(type: Type): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

export function isDynOrError({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error';
}

/** True when the types are identical. */
export function isSameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isSameType(param, b.params[index]!));
}

/** Formats a type for messages: `map(string, list(int))`. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'null':
      return 'null';
    case 'timestamp':
    case 'duration':
      return type.kind;
    case 'list':
    case 'map':
    case 'opaque':
    case 'type':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
    default:
      return type.name;
  }
}
