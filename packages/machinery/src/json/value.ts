/**
 * What a JSON document holds. Integers that a double cannot carry exactly (beyond ±2^53-1, within 64 bits) are
 * `bigint`; every other number is a `number`. No other code may introduce `bigint`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object: own enumerable properties only; `__proto__` is a name like any other. */
export interface JsonObject {
  [key: string]: JsonValue;
}
