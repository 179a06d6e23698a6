import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import { formatTime } from '@pintle/machinery/time';
import type { Operation, Revision } from '@pintle/store';
import { ownersOfSeed } from '../builtin/seed-owners.ts';

const ABSENT = 0 as Revision;

/** An object that every server creates at its first start. */
export interface Seed {
  readonly gvr: GroupVersionResource;
  readonly object: KubernetesObject;
  /** True when the kind tracks its generation. Its rules also have that, but are not loaded for this. */
  readonly hasGeneration: boolean;
  /** Written in the same transaction. When it belongs to another object already, neither is written. */
  readonly claim?: Seed;
  /** Returns the updated object for an existing one; `undefined` when it needs no change. */
  readonly upkeep?: (stored: KubernetesObject, seed: KubernetesObject) => KubernetesObject | undefined;
}

export interface SeedContext {
  readonly nowMs: number;
  uuid(): string;
}

/** Returns seeds of one resource. */
export function seedsOf(
  group: string,
  version: string,
  resource: string,
  kind: string,
  { hasGeneration = false }: { readonly hasGeneration?: boolean } = {},
) {
  const apiVersion = formatGroupVersion({ group, version });
  return (metadata: KubernetesObject['metadata'], rest: object): Seed => ({
    gvr: { group, version, resource },
    hasGeneration,
    object: { apiVersion, kind, metadata, ...rest } as KubernetesObject,
  });
}

/** Returns the storage key of a seed. */
export function seedKey({ gvr, object }: Seed): string {
  return objectKey(gvr, object.metadata.namespace ?? '', object.metadata.name ?? '');
}

/** Returns the operation that creates a seed. */
export function seedWrite(seed: Seed, { nowMs, uuid }: SeedContext): Operation {
  const { metadata, ...rest } = seed.object;
  const { name, namespace, ...more } = metadata;
  const object = {
    ...rest,
    metadata: {
      name,
      ...(namespace && { namespace }),
      uid: uuid(),
      ...(seed.hasGeneration && { generation: 1 }),
      creationTimestamp: formatTime(nowMs),
      ...more,
      managedFields: ownersOfSeed(seed.object, nowMs),
    },
  } as KubernetesObject;
  return { type: 'put', key: seedKey(seed), value: encodeObject(object), expected: ABSENT };
}
