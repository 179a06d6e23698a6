import { ListValue } from './list.ts';
import { keyOf, MapValue } from './map.ts';
import { Duration, Timestamp } from './time.ts';
import { Double, OpaqueValue, type Value } from './value.ts';

/** A text that values share if and only if they are equal; for sets and keys. */
export function identityOf(value: Value): string {
  if (typeof value === 'string') return `"${value}`;
  const key = keyOf(value);
  if (key !== undefined) return String(key);
  if (value instanceof Timestamp || value instanceof Duration) return `${value.constructor.name} ${value.nanos}`;
  if (value instanceof Uint8Array) return `b${value.join(',')}`;
  if (value instanceof ListValue) return `[${value.items().map(identityOf).join()}]`;
  if (value instanceof MapValue) return `{${entriesOf(value).join()}}`;
  if (value instanceof Double) return `d${value.value}`;
  return value instanceof OpaqueValue ? `${value.type.name} ${value.text()}` : String(value);
}

function entriesOf(map: MapValue): string[] {
  return map
    .keys()
    .map((key) => `${JSON.stringify(identityOf(key))}:${identityOf(map.get(key)!)}`)
    .sort();
}
