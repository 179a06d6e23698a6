import { estimateJsonBytes, type JsonObject, type JsonValue, requestLimits, setOwn } from '@pintle/machinery/json';
import { toText } from '../functions/conversions.ts';
import { JsonMap, JsonStruct } from '../values/json-values.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { CelError, Double, isError, OpaqueValue, OptionalValue, TypeValue, Uint, type Value } from '../values/value.ts';
import { CelObject } from './mutation-types.ts';

/** Bytes of JSON that may still be created. */
export interface JsonBudget {
  bytes: number;
}

/**
 * Converts a value to JSON. Times, durations and bytes become strings. Returns an error, in Kubernetes' words, for
 * values that protobuf's JSON cannot represent. With `isInObjectLiteral`, inside of objects that an expression creates, absent
 * optionals become null and types become their names.
 *
 * Expressions can repeat a value cheaply. Each copy takes `budget`, and an error is returned when none is left, before
 * much is created.
 */
export function valueToJson(
  value: Value,
  budget: JsonBudget = { bytes: requestLimits.maxBytes },
  isInObjectLiteral = false,
): JsonValue | CelError {
  budget.bytes -= VALUE_BYTES;
  if (budget.bytes < 0) return new CelError(TOO_LARGE);
  if (isError(value)) return value;
  if (typeof value === 'string') return spend(budget, value);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return doubleToJson(value.value);
  if (value instanceof Uint) return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : value.value;
  if (value instanceof JsonMap || value instanceof JsonStruct) return spend(budget, value.source);
  if (value instanceof ListValue) return listToJson(value, budget, isInObjectLiteral);
  if (value instanceof MapValue) return mapToJson(value, budget, isInObjectLiteral || isObject(value));
  if (value instanceof OptionalValue)
    return value.value === undefined ? absent(isInObjectLiteral) : valueToJson(value.value, budget, isInObjectLiteral);
  if (value instanceof Uint8Array)
    return spend(budget, btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')));
  if (value instanceof TypeValue && !isInObjectLiteral) return new CelError("type conversion not supported for 'type'");
  if (value instanceof OpaqueValue)
    return new CelError(`type conversion error from '${shortName(value)}' to ${PROTOBUF}`);
  return String(toText(value));
}

const VALUE_BYTES = 2;
const TOO_LARGE = `the result is larger than ${requestLimits.maxBytes} bytes`;

function spend(budget: JsonBudget, json: JsonValue): JsonValue | CelError {
  budget.bytes -= estimateJsonBytes(json, budget.bytes);
  return budget.bytes < 0 ? new CelError(TOO_LARGE) : json;
}

/** A patch is not an object itself; its value is. */
function isObject(map: MapValue): boolean {
  return map instanceof CelObject && map.typeName !== 'JSONPatch';
}

function absent(isInObjectLiteral: boolean): null | CelError {
  return isInObjectLiteral ? null : new CelError('optional.none() dereference');
}

const PROTOBUF = "'*structpb.Value'";

/** Returns the type's name without its package, except for authorizers. */
function shortName({ type: { name } }: OpaqueValue): string {
  if (name.startsWith('kubernetes.authorization.')) return name;
  return name === 'kubernetes.NamedFormat' ? 'Format' : name.slice(name.lastIndexOf('.') + 1);
}

function doubleToJson(number: number): JsonValue | CelError {
  if (Number.isFinite(number)) return number;
  const shown = Number.isNaN(number) ? 'NaN' : number > 0 ? '+Inf' : '-Inf';
  const what = 'google.protobuf.Value.number_value: invalid';
  return new CelError(`json: error calling MarshalJSON for type *structpb.Value: proto: ${what} ${shown} value`);
}

function listToJson(list: ListValue, budget: JsonBudget, isInObjectLiteral: boolean): JsonValue | CelError {
  const items: JsonValue[] = [];
  for (const item of list.items()) {
    const json = valueToJson(item, budget, isInObjectLiteral);
    if (json instanceof CelError) return json;
    items.push(json);
  }
  return items;
}

function mapToJson(map: MapValue, budget: JsonBudget, isInObjectLiteral: boolean): JsonValue | CelError {
  const object: JsonObject = {};
  for (const key of map.keys()) {
    if (typeof key !== 'string') return new CelError(wrongKey(key));
    budget.bytes -= key.length;
    const json = valueToJson(map.get(key) ?? null, budget, isInObjectLiteral);
    if (json instanceof CelError) return json;
    setOwn(object, key, json);
  }
  return object;
}

function wrongKey(key: Value): string {
  if (typeof key === 'boolean') return "type conversion error from bool to 'string'";
  return `unsupported type conversion from '${key instanceof Uint ? 'uint' : 'int'}' to string`;
}
