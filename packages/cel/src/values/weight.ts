import type { JsonValue } from '@pintle/machinery/json';
import { JsonList, JsonMap, JsonStruct } from './json-values.ts';
import { ListValue } from './list.ts';
import { MapValue } from './map.ts';
import { OpaqueValue, OptionalValue, type Value } from './value.ts';

/**
 * Returns the total size of a value at all levels, in items, entries and tens of characters. Kubernetes charges for the
 * outermost level only; the actual work grows with this. Cached per container.
 */
export function weightOf(value: Value): number {
  if (typeof value === 'string') return Math.ceil(value.length / 10);
  if (value instanceof JsonList && value.source.length > 0) return weightOfJson(value.source as JsonValue);
  if (value instanceof JsonMap || value instanceof JsonStruct) return weightOfJson(value.source);
  if (value instanceof OpaqueValue) return value.weight;
  if (value instanceof OptionalValue) return value.value === undefined ? 1 : weightOf(value.value);
  if (!(value instanceof ListValue) && !(value instanceof MapValue)) return 1;
  const known = weights.get(value);
  if (known !== undefined) return known;
  const parts = value instanceof ListValue ? value.items() : value.keys().map((key) => value.get(key) ?? null);
  const weight = parts.reduce((sum: number, part) => sum + weightOf(part), 1);
  weights.set(value, weight);
  return weight;
}

const weights = new WeakMap<object, number>();

function weightOfJson(json: JsonValue): number {
  if (typeof json === 'string') return Math.ceil(json.length / 10);
  if (typeof json !== 'object' || json === null) return 1;
  const known = weights.get(json);
  if (known !== undefined) return known;
  let weight = 1;
  for (const part of Object.values(json)) weight += weightOfJson(part);
  weights.set(json, weight);
  return weight;
}
