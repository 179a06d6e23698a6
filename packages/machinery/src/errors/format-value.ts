/** A value as it stands in an error message: strings quoted, everything else as JSON. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? Number(item) : item));
}
