import type { JsonValue } from './value.ts';

/** The least weight of a value, however short its JSON is. */
const MIN_VALUE_BYTES = 2;

/**
 * About how many bytes of JSON a value takes, without what escaping adds; a part that stands in several places counts in
 * each of them. Stops once that is more than `limit`, so that it takes no longer than the limit is large.
 */
export function weighJson(value: JsonValue, limit: number): number {
  if (typeof value === 'string') return value.length + MIN_VALUE_BYTES;
  if (typeof value !== 'object' || value === null) return MIN_VALUE_BYTES;
  let bytes = MIN_VALUE_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += 1 + weighJson(item, limit - bytes);
      if (bytes > limit) break;
    }
    return bytes;
  }
  for (const name in value) {
    bytes += name.length + 4 + weighJson(value[name] ?? null, limit - bytes);
    if (bytes > limit) break;
  }
  return bytes;
}
