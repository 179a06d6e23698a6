import { isJsonObject, type JsonValue } from '@pintle/machinery/json';
import { JsonList, JsonMap, JsonStruct } from './json-values.ts';
import { toInt } from './numbers.ts';
import { Double, OptionalValue, type Value } from './value.ts';

/** JSON as expressions see it when nothing is known about it: whole numbers are integers, everything else is as it looks. */
export function dynamicValue(json: JsonValue): Value {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : new Double(json);
  if (typeof json === 'bigint') return toInt(json);
  if (Array.isArray(json)) return new JsonList(json, dynamicValue);
  return isJsonObject(json) ? new JsonMap(json, dynamicValue) : json;
}

/**
 * An optional as its name gives it. Kubernetes takes the plain value out of it there and makes a value of that without a
 * schema: nulls are there, dates are texts, and lists have no keys.
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
