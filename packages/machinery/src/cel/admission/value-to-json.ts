import { type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';
import { toText } from '../functions/conversions.ts';
import { JsonMap, JsonStruct } from '../values/json-values.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { CelError, Double, isError, OpaqueValue, OptionalValue, TypeValue, Uint, type Value } from '../values/value.ts';
import { MadeObject } from './mutation-types.ts';

/**
 * A value as JSON. Times, durations and bytes are written as text; an error says why another has no form in JSON, in
 * the words of Kubernetes, which goes by way of a protobuf. Inside of objects that an expression makes it is not so
 * strict: what is not there is null there, and a type is its name.
 */
export function valueToJson(value: Value, isMade = false): JsonValue | CelError {
  if (isError(value)) return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return doubleToJson(value.value);
  if (value instanceof Uint) return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : value.value;
  if (value instanceof JsonMap || value instanceof JsonStruct) return value.source;
  if (value instanceof ListValue) return listToJson(value, isMade);
  if (value instanceof MapValue) return mapToJson(value, isMade || isObject(value));
  if (value instanceof OptionalValue)
    return value.value === undefined ? absent(isMade) : valueToJson(value.value, isMade);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''));
  if (value instanceof TypeValue && !isMade) return new CelError("type conversion not supported for 'type'");
  if (value instanceof OpaqueValue)
    return new CelError(`type conversion error from '${shortName(value)}' to ${PROTOBUF}`);
  return String(toText(value));
}

/** A patch is no object of its own: what it puts somewhere is. */
function isObject(map: MapValue): boolean {
  return map instanceof MadeObject && map.typeName !== 'JSONPatch';
}

function absent(isMade: boolean): null | CelError {
  return isMade ? null : new CelError('optional.none() dereference');
}

const PROTOBUF = "'*structpb.Value'";

/** Libraries call their types by their own names; of authorizers the whole is told. */
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

function listToJson(list: ListValue, isMade: boolean): JsonValue | CelError {
  const items: JsonValue[] = [];
  for (const item of list.items()) {
    const json = valueToJson(item, isMade);
    if (json instanceof CelError) return json;
    items.push(json);
  }
  return items;
}

function mapToJson(map: MapValue, isMade: boolean): JsonValue | CelError {
  const object: JsonObject = {};
  for (const key of map.keys()) {
    if (typeof key !== 'string') return new CelError(wrongKey(key));
    const json = valueToJson(map.get(key) ?? null, isMade);
    if (json instanceof CelError) return json;
    setOwn(object, key, json);
  }
  return object;
}

function wrongKey(key: Value): string {
  if (typeof key === 'boolean') return "type conversion error from bool to 'string'";
  return `unsupported type conversion from '${key instanceof Uint ? 'uint' : 'int'}' to string`;
}
