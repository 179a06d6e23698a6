import type { JsonValue } from '../../json/index.ts';

export type ValueKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/**
 * What a value is in the words of a schema. An integer is what Go reads as int64; a number that a double holds as a
 * whole but that was not read exactly (1e20) is a number.
 */
export function kindOf(value: JsonValue): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
  }
}
