import { formatSortedJson, formatValue } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';

/** A value as it stands in an error. What a schema describes is a map in Go, and Go prints maps by their sorted keys. */
export function shownValue(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? formatSortedJson(value) : formatValue(value);
}
