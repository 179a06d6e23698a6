import type { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import type { Quantity } from '@pintle/machinery/quantity';
import { parseQuantity } from '@pintle/machinery/quantity';
import { selectorOf } from '../common/selectors.ts';
import { classOf, isBoundTo } from './storage-names.ts';

/**
 * Returns the volume for a claim: one that is reserved for it, else the smallest free one that is large enough. Volumes
 * with the fewest additional access modes come first. With `isDelayed` the scheduler chooses, so only a reserved volume
 * matches.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { isDelayed }: { readonly isDelayed: boolean },
): PersistentVolume | undefined {
  for (const alike of byAccessModes(volumes.filter((volume) => allows(volume, claim)))) {
    const candidates = alike.filter((volume) => isCandidate(volume, claim));
    const own = candidates.find((volume) => isBoundTo(volume, claim));
    const found = own ?? (isDelayed ? undefined : smallest(candidates.filter((volume) => isFreeFor(volume, claim))));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns why a volume that a claim requests by name cannot be bound; `undefined` when it can. */
export function mismatchOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp) return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (sizeOf(volume).compare(requestedStorage(claim)) < 0) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (!isOfAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!isOfMode(volume, claim)) return 'incompatible volumeMode';
  return allows(volume, claim) ? undefined : 'incompatible accessMode';
}

/** True when both are file systems, or both block devices. */
export function isOfMode({ spec }: PersistentVolume, { spec: asked }: PersistentVolumeClaim): boolean {
  return (spec?.volumeMode ?? 'Filesystem') === (asked?.volumeMode ?? 'Filesystem');
}

function allows({ spec }: PersistentVolume, { spec: asked }: PersistentVolumeClaim): boolean {
  return (asked?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode));
}

function byAccessModes(volumes: readonly PersistentVolume[]): PersistentVolume[][] {
  const groups = new Map<string, PersistentVolume[]>();
  for (const volume of volumes) {
    const key = [...(volume.spec?.accessModes ?? [])].sort().join();
    groups.set(key, [...(groups.get(key) ?? []), volume]);
  }
  return [...groups]
    .sort(([a], [b]) => a.split(',').length - b.split(',').length || (a < b ? -1 : 1))
    .map(([, group]) => group);
}

function isCandidate(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.metadata.deletionTimestamp || sizeOf(volume).compare(requestedStorage(claim)) < 0) return false;
  if (volume.spec?.claimRef && !isBoundTo(volume, claim)) return false;
  return isOfMode(volume, claim) && isOfAttributes(volume, claim);
}

function isFreeFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.status?.phase !== 'Available' || classOf(volume) !== classOf(claim)) return false;
  const selector = claim.spec?.selector;
  return selector === undefined || selectorOf(selector).matches(volume.metadata.labels ?? {});
}

function isOfAttributes({ spec }: PersistentVolume, { spec: asked }: PersistentVolumeClaim): boolean {
  return (spec?.volumeAttributesClassName ?? '') === (asked?.volumeAttributesClassName ?? '');
}

function smallest(volumes: readonly PersistentVolume[]): PersistentVolume | undefined {
  const [first, ...rest] = volumes;
  return first && rest.reduce((best, volume) => (sizeOf(volume).compare(sizeOf(best)) < 0 ? volume : best), first);
}

function sizeOf({ spec }: PersistentVolume): Quantity {
  return parseQuantity(String(spec?.capacity?.storage ?? '0'));
}

function requestedStorage({ spec }: PersistentVolumeClaim): Quantity {
  return parseQuantity(String(spec?.resources?.requests?.storage ?? '0'));
}
