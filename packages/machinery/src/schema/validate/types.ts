import { formatSortedJson, formatValue } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import { isKnownFormat } from '../formats/index.ts';
import type { Schema } from '../schema.ts';
import { isNearInteger } from './numbers.ts';
import type { ValidationRun } from './run.ts';

/** Checks the type of a value that is not null. Returns whether it was right. */
export type TypeCheck = (value: JsonValue, kind: ValueKind, run: ValidationRun) => boolean;

export function typeCheck(schema: Schema): TypeCheck | undefined {
  const types = typesOf(schema);
  const format = formatOf(schema);
  if (types.length === 0 && format === undefined) return undefined;
  const expected = types.join(',');
  const isNumeric = types.includes('integer') || types.includes('number');
  return (value, kind, run) => {
    if (fits(types, value, kind)) return true;
    const isLeftToFormat = kind === 'string' || kind === 'array';
    if (format !== undefined && !isLeftToFormat && goFormatOf(kind) !== format) {
      run.wrongType(format, goFormatOf(kind));
      return false;
    }
    // Kubernetes leaves strings and arrays to the format, and formats check only strings.
    if (format !== undefined && isLeftToFormat && !isNumeric) return true;
    run.wrongType(expected, kind);
    return false;
  };
}

/** Returns the types that a schema allows, as Kubernetes names them in its messages. */
export function typesOf(schema: Schema): readonly string[] {
  if (schema.intOrString) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function formatOf(schema: Schema): string | undefined {
  if (schema.anyFormat) return schema.format;
  const type = schema.intOrString ? undefined : schema.type;
  return schema.format !== undefined && isKnownFormat(type, schema.format) ? schema.format : undefined;
}

function fits(types: readonly string[], value: JsonValue, kind: ValueKind): boolean {
  for (const type of types) {
    if (type === kind) return true;
    if (type === 'number' && kind === 'integer') return true;
    if (type === 'integer' && kind === 'number' && isNearInteger(value as number)) return true;
  }
  return false;
}

/** Returns the format that Go derives from a value. */
function goFormatOf(kind: ValueKind): string {
  if (kind === 'integer') return 'int64';
  return kind === 'number' ? 'float64' : '';
}

type ValueKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/**
 * Returns the type of a value as schemas name it. An integer is what Go reads as int64; a whole number that was not
 * read exactly (1e20) is a number.
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

/** Formats a value for an error. Go holds it in maps, and prints those by their sorted keys. */
export function shownValue(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? formatSortedJson(value) : formatValue(value);
}
