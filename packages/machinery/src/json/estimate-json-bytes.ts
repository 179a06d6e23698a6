import type { JsonValue } from './value.ts';

/** The least size that a value counts as, however short its JSON is. */
const MIN_VALUE_BYTES = 2;

/**
 * Estimates the bytes of JSON that a value takes, without what escaping adds; a part that is shared counts in each
 * place. Stops once the sum exceeds `limit`, so that the time is bounded by the limit.
 */
export function estimateJsonBytes(value: JsonValue, limit: number): number {
  if (typeof value === 'string') return value.length + MIN_VALUE_BYTES;
  if (typeof value !== 'object' || value === null) return MIN_VALUE_BYTES;
  let bytes = MIN_VALUE_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += 1 + estimateJsonBytes(item, limit - bytes);
      if (bytes > limit) break;
    }
    return bytes;
  }
  for (const name in value) {
    bytes += name.length + 4 + estimateJsonBytes(value[name] ?? null, limit - bytes);
    if (bytes > limit) break;
  }
  return bytes;
}
