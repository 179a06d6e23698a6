import { FieldPath, forbidden, invalid, tooLong } from '@pintle/machinery/errors';
import { deepEqual, setOwn } from '@pintle/machinery/json';
import { byteLength, validateConfigMapKey } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { ConfigMap } from '../../../generated/core/v1.ts';
import { type Check, collect, problems, sortedEntries } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

/** Most bytes of all values of a ConfigMap or Secret. */
export const maxDataBytes = 1024 * 1024;

export const configMapRules: ResourceRules<ConfigMap> = {
  default: ({ data, binaryData }) => {
    emptyNulls(data);
    emptyNulls(binaryData);
  },
  validate: (configMap) => collect(checkConfigMap(configMap)),
  validateUpdate: (next, previous) => [
    'update',
    ...checkImmutable(next, previous, ['data', 'binaryData']),
    'create',
    ...checkConfigMap(next),
  ],
  printer: {
    columns: [nameColumn, column('Data'), ageColumn],
    row: (configMap, context) => [nameOf(configMap), keyCount(configMap), age(configMap, context)],
  },
};

/** Replaces null values with empty ones. */
export function emptyNulls(data: Record<string, string | null> | undefined): void {
  for (const [key, value] of Object.entries(data ?? {})) if (value === null) setOwn(data!, key, '');
}

/** Once `immutable` is set, it stays, and these fields must not change. */
export function* checkImmutable<T extends { immutable?: boolean }>(
  next: T,
  previous: T,
  fields: readonly (keyof T & string)[],
): Check {
  if (!previous.immutable) return;
  const detail = 'field is immutable when `immutable` is set';
  if (!next.immutable) yield forbidden('immutable', detail);
  for (const field of fields) if (!deepEqual(next[field] ?? {}, previous[field] ?? {})) yield forbidden(field, detail);
}

function* checkConfigMap({ data = {}, binaryData = {} }: ConfigMap): Check {
  let bytes = 0;
  for (const [key, value] of sortedEntries(data)) {
    const path = FieldPath.of('data').key(key);
    yield* problems(path, key, validateConfigMapKey(key));
    if (Object.hasOwn(binaryData, key)) yield invalid(path, key, 'duplicate of key present in binaryData');
    bytes += byteLength(value);
  }
  for (const [key, value] of sortedEntries(binaryData)) {
    yield* problems(FieldPath.of('binaryData').key(key), key, validateConfigMapKey(key));
    bytes += Buffer.byteLength(value, 'base64');
  }
  if (bytes > maxDataBytes) yield tooLong('[]', maxDataBytes);
}

function keyCount({ data = {}, binaryData = {} }: ConfigMap): number {
  return Object.keys(data).length + Object.keys(binaryData).length;
}
