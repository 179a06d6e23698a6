import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import { formatTime } from '@pintle/machinery/time';
import type { Operation, Revision } from '@pintle/store';
import { ownersOfSeed } from '../builtin/seed-owners.ts';

const ABSENT = 0 as Revision;

/** An object that every server has from its first start. */
export interface Seed {
  readonly gvr: GroupVersionResource;
  readonly object: KubernetesObject;
  /** Its kind counts changes, as the kind's rules say too: they are not loaded for this. */
  readonly hasGeneration: boolean;
  /** Comes with it, in the same write. Where that is already somebody else's, neither is written. */
  readonly claim?: Seed;
  /** What is stored in its place as it should be from now on; `undefined`: it is fine as it is. */
  readonly upkeep?: (stored: KubernetesObject, seed: KubernetesObject) => KubernetesObject | undefined;
}

/** What seeds are made with. */
export interface SeedContext {
  readonly nowMs: number;
  uuid(): string;
}

/** Makes seeds of one resource. */
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

/** Where a seed is kept. */
export function seedKey({ gvr, object }: Seed): string {
  return objectKey(gvr, object.metadata.namespace ?? '', object.metadata.name ?? '');
}

/** Writes a seed where nothing is. */
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
