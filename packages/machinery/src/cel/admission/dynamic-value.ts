import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';
import { toText } from '../functions/conversions.ts';
import { JsonList, JsonMap, JsonStruct } from '../values/json-values.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { toInt } from '../values/numbers.ts';
import { CelError, Double, isError, OptionalValue, Uint, type Value } from '../values/value.ts';

/** JSON as expressions see it when nothing is known about it: whole numbers are integers, everything else is as it looks. */
export function dynamicValue(json: JsonValue): Value {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : new Double(json);
  if (typeof json === 'bigint') return toInt(json);
  if (Array.isArray(json)) return new JsonList(json, dynamicValue);
  return isJsonObject(json) ? new JsonMap(json, dynamicValue) : json;
}

/** A value as JSON; what has no JSON form of its own is written as text. An error where there is not even that. */
export function valueToJson(value: Value): JsonValue | CelError {
  if (isError(value)) return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : value.value;
  if (value instanceof JsonMap || value instanceof JsonStruct) return value.source;
  if (value instanceof ListValue) return listToJson(value);
  if (value instanceof MapValue) return mapToJson(value);
  if (value instanceof OptionalValue) return value.value === undefined ? null : valueToJson(value.value);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''));
  const text = toText(value);
  return typeof text === 'string' ? text : new CelError('cannot convert to JSON');
}

function listToJson(list: ListValue): JsonValue | CelError {
  const items: JsonValue[] = [];
  for (const item of list.items()) {
    const json = valueToJson(item);
    if (json instanceof CelError) return json;
    items.push(json);
  }
  return items;
}

function mapToJson(map: MapValue): JsonValue | CelError {
  const object: JsonObject = {};
  for (const key of map.keys()) {
    const json = valueToJson(map.get(key) ?? null);
    if (json instanceof CelError) return json;
    setOwn(object, String(toText(key)), json);
  }
  return object;
}
