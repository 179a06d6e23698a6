import type { KubernetesObject } from '@pintle/machinery';
import type { StoreRecord } from '@pintle/store';
import { decodeObject } from './object-codec.ts';

/** Objects by their stored bytes: servers on copies of one store, as in tests, have the same bytes. */
const decoded = new WeakMap<Uint8Array, KubernetesObject>();

/** Returns the whole object as stored, decoded once for all servers of the process. Never change it. */
export function decodeShared(record: StoreRecord, kind: string): KubernetesObject {
  const known = decoded.get(record.value);
  if (known?.metadata.resourceVersion === `${record.modRevision}`) return known;
  const object = decodeObject(record, kind);
  decoded.set(record.value, object);
  return object;
}
