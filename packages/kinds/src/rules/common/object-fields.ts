import type { KubernetesObject } from '@pintle/machinery';
import type { Pod } from '../../generated/core/v1.ts';
import type { ObjectMeta } from '../../generated/meta/v1.ts';

type WithStatus = KubernetesObject & { spec?: unknown; status?: unknown };

/** Restores the status: an update of the object must not change it. */
export function keepStatus(next: WithStatus, previous: WithStatus): void {
  keep(next, previous, 'status');
}

/** Restores everything but the status, and metadata that no rule of the kind protects. */
export function keepAllButStatus(next: WithStatus, previous: WithStatus): void {
  keep(next, previous, 'spec');
}

/** As `keepAllButStatus`, for kinds whose status update restores labels and annotations too. */
export function keepAllButStatusAndMetadata(next: WithStatus, previous: WithStatus): void {
  keep(next, previous, 'spec');
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
    keep(next.metadata, previous.metadata, field);
}

/** Sets a field to its previous value, which may be absent. */
export function keep<T extends object>(next: T, previous: T, field: keyof T): void {
  if (previous[field] === undefined) delete next[field];
  else next[field] = previous[field];
}

/** Removes annotations that hold fields, and with the last of them the map. */
export function dropAnnotations(metadata: Pick<ObjectMeta, 'annotations'> | undefined, names: readonly string[]): void {
  const annotations = metadata?.annotations;
  if (annotations === undefined || !names.some((name) => Object.hasOwn(annotations, name))) return;
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  if (kept.length > 0) metadata!.annotations = Object.fromEntries(kept);
  else delete metadata!.annotations;
}

/** Returns the object in a field; sets an empty one when it is missing. */
export function ensure<T extends object, K extends keyof T>(object: T, field: K): NonNullable<T[K]> {
  object[field] ??= {} as NonNullable<T[K]>;
  return object[field] as NonNullable<T[K]>;
}

/** Restores the metadata that clients write: an update of a subresource must not change it. */
export function keepMetadata({ metadata }: Pod, previous: Pod): void {
  for (const field of ['deletionTimestamp', 'labels', 'annotations', 'ownerReferences', 'finalizers'] as const)
    keep(metadata, previous.metadata, field);
}
