import { isJsonObject, type JsonValue } from '@pintle/machinery/json';
import { JsonList, JsonMap, JsonStruct } from './json-values.ts';
import { toInt } from './numbers.ts';
import { Double, OptionalValue, type Value } from './value.ts';

/** Converts JSON without a schema: whole numbers are integers. */
export function dynamicValue(json: JsonValue): Value {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : new Double(json);
  if (typeof json === 'bigint') return toInt(json);
  if (Array.isArray(json)) return new JsonList(json, dynamicValue);
  return isJsonObject(json) ? new JsonMap(json, dynamicValue) : json;
}

/**
 * Returns an optional that was accessed by name. Kubernetes unwraps it and converts the plain value without a schema:
 * nulls are visible, dates are strings, and lists have no keys.
 */
export function namedOptional(value: Value): Value {
  if (!(value instanceof OptionalValue) || value.value === undefined) return value;
  const plain = withoutSchema(value.value);
  return plain === value.value ? value : OptionalValue.of(plain);
}

function withoutSchema(value: Value): Value {
  if (value instanceof JsonStruct || (value instanceof JsonMap && value.isTyped)) return dynamicValue(value.source);
  if (!(value instanceof JsonList) || !value.isTyped || value.size !== value.source.length) return value;
  return new JsonList(value.source, dynamicValue);
}
