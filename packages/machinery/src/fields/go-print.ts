import { quote } from '../errors/quote.ts';
import { compareUtf8, type JsonObject, type JsonValue } from '../json/index.ts';

/*
 * Kubernetes puts the values it refuses into its messages the way Go's fmt package prints them. A JSON document is made
 * of map[string]interface {}, []interface {}, string, int64, float64, bool and nil there.
 */

/** `%v`: `map[image:x:1 name:a]`, `[a b]`, `<nil>`. */
export function printPlain(value: JsonValue | undefined): string {
  return print(value, plainly);
}

/** `%s`: like `%v`, except that values other than strings are marked as errors: `%!s(int64=5)`. */
export function printAsText(value: JsonValue | undefined): string {
  return print(value, (scalar) => {
    if (typeof scalar === 'string') return scalar;
    return scalar === null || scalar === undefined ? '%!s(<nil>)' : `%!s(${typeName(scalar)}=${plainly(scalar)})`;
  });
}

/** `%#v`: `map[string]interface {}{"a":1}`. */
export function printAsSource(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(printAsSource).join(', ')}}`;
  if (typeof value !== 'object') return plainly(value);
  const members = sortedKeys(value).map((key) => `${quote(key)}:${printAsSource(value[key]!)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

/** `%T`. */
export function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64';
  }
}

type Scalar = Exclude<JsonValue, JsonValue[] | JsonObject> | undefined;

function print(value: JsonValue | undefined, scalar: (value: Scalar) => string): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map((item) => print(item, scalar)).join(' ')}]`;
  const members = sortedKeys(value).map((key) => `${key}:${print(value[key], scalar)}`);
  return `map[${members.join(' ')}]`;
}

function plainly(value: Scalar): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value !== 'number' || Math.abs(value) >= 1e-4 || value === 0) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object).sort(compareUtf8);
}
