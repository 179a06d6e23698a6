import type { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';

/** A claim that has it was bound once; whether it still is shows elsewhere. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** The binder chose, and may choose again; without it a person did. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const PROVISIONERS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
] as const;

const FORMER_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** The class of a volume or claim; '' when it is of none. */
export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[FORMER_CLASS] ?? spec?.storageClassName ?? '';
}

/** Whether somebody has decided on the class of a claim, be it on none. */
export function hasClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[FORMER_CLASS] !== undefined || spec?.storageClassName !== undefined;
}

export function isMarked({ metadata }: PersistentVolume | PersistentVolumeClaim, annotation: string): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, annotation);
}

/** Whether a volume is a claim's, or set aside for it by name. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}
