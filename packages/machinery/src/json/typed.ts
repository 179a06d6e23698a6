import type { JsonObject, JsonValue } from './value.ts';

/** A type as JSON sees it: lists and objects of anything, and everything else as it is. */
export type JsonOf<T> = T extends readonly unknown[] ? JsonValue[] : T extends object ? JsonObject : T;

/**
 * The same value, seen as the JSON it is. The API's types promise nothing that JSON does not have; TypeScript only
 * cannot tell of an interface that no member of it is something else.
 */
export function asJson<T>(typed: T): JsonOf<T> {
  return typed as JsonOf<T>;
}
