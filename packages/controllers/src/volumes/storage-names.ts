import type { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';

/** Annotation of a claim that was bound once. It may have lost its volume since. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Annotation of bindings that the binder chose and may undo. Without it a user did. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const PROVISIONERS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
] as const;

const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Returns the class of a volume or claim; '' when it has none. */
export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[BETA_STORAGE_CLASS] ?? spec?.storageClassName ?? '';
}

/** True when the class of a claim is set, even to none. */
export function hasClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[BETA_STORAGE_CLASS] !== undefined || spec?.storageClassName !== undefined;
}

export function isMarked({ metadata }: PersistentVolume | PersistentVolumeClaim, annotation: string): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, annotation);
}

/** True when the volume is bound to the claim, or reserved for it by name. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}
