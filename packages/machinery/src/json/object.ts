import type { JsonObject, JsonValue } from './value.ts';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own property, whatever its name: assignment to `__proto__` would change the object's prototype instead. */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The own property of that name: `undefined` for what an object merely inherits, such as `constructor`. */
export function getOwn<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What stands at a path of keys and list indices: `getPath(pod, 'spec', 'containers', 0, 'image')`. */
export function getPath(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = typeof step === 'number' ? found[step] : undefined;
    else found = isJsonObject(found) ? getOwn(found, String(step)) : undefined;
  }
  return found;
}
