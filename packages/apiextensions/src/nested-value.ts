import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { getOwn, isJsonObject } from '@pintle/machinery/json';

/** Value at a path such as `.spec.replicas`; `undefined` when the path does not exist. */
export type Nested<T> = { readonly value: T } | { readonly problem: string } | undefined;

export function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

export function nestedInteger(object: JsonObject, path: string): Nested<number> {
  const nested = nestedValue(object, path);
  if (nested === undefined || 'problem' in nested) return nested;
  const { value } = nested;
  if (typeof value === 'bigint') return { value: Number(value) };
  return Number.isSafeInteger(value) ? { value: value as number } : { problem: wrongType(path, value, 'int64') };
}

export function nestedText(object: JsonObject, path: string): Nested<string> {
  const nested = nestedValue(object, path);
  if (nested === undefined || 'problem' in nested) return nested;
  const { value } = nested;
  return typeof value === 'string' ? { value } : { problem: wrongType(path, value, 'string') };
}

function nestedValue(object: JsonObject, path: string): Nested<JsonValue> {
  let value: JsonValue = object;
  for (const step of stepsOf(path)) {
    if (value === null) return undefined;
    if (!isJsonObject(value)) return { problem: wrongType(path, value, 'map[string]interface{}') };
    const inner: JsonValue | undefined = getOwn(value, step);
    if (inner === undefined) return undefined;
    value = inner;
  }
  return { value };
}

function wrongType(path: string, value: JsonValue, expected: string): string {
  return `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;
}

/** Returns Go's type of a value that was read from JSON. */
export function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'object':
      return 'map[string]interface {}';
    default:
      return Number.isInteger(Number(value)) ? 'int64' : 'float64';
  }
}

/** Formats a value as Go does: `map[a:b]`, `[1 2]`. */
function goText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goText(value[name]!)}`).join(' ')}]`;
}
