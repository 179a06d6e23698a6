/**
 * A value of a JSON document. Integers that a double cannot hold exactly (beyond ±2^53-1, within 64 bits) are `bigint`;
 * every other number is a `number`. No other code may introduce `bigint`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object: own enumerable properties only; `__proto__` is a name like any other. */
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own property of any name: assignment to `__proto__` would change the object's prototype instead. */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Returns the own property of that name: `undefined` for inherited ones, such as `constructor`. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns the value at a path of keys and list indices: `getPath(pod, 'spec', 'containers', 0, 'image')`. */
export function getPath(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = typeof step === 'number' ? found[step] : undefined;
    else found = isJsonObject(found) ? getOwn(found, String(step)) : undefined;
  }
  return found;
}

/** A type as JSON: lists and objects of any values, and all other types as they are. */
export type JsonOf<T> = T extends readonly unknown[] ? JsonValue[] : T extends object ? JsonObject : T;

/** Returns the same value, typed as JSON. The API's types hold only JSON; TypeScript cannot infer that of an interface. */
export function asJson<T>(typed: T): JsonOf<T> {
  return typed as JsonOf<T>;
}
