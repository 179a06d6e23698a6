import type { CachedClient } from '@pintle/client';
import { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, isBoundTo, isMarked } from './storage-names.ts';

type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';

/**
 * Binds a volume and a claim, the volume first: a volume with a `claimRef` is reserved, so an interrupted binding is
 * completed later. Skips each of the four writes that is done already.
 */
export async function bind(
  client: CachedClient,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<void> {
  const taken = await setVolumePhase(client, await pointToClaim(client, volume, claim), 'Bound');
  await setBound(client, await pointToVolume(client, claim, taken), taken);
}

/** Unbinds a volume. One that a user reserved for a claim stays reserved, for the next claim of that name. */
export async function unbind(client: CachedClient, volume: PersistentVolume): Promise<void> {
  const { claimRef, ...spec } = volume.spec!;
  const { [BOUND_BY_CONTROLLER]: isOurs, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _uid, ...byName } = claimRef!;
  const next =
    isOurs === undefined
      ? { ...volume, spec: { ...spec, claimRef: byName } }
      : { ...volume, spec, metadata: { ...volume.metadata, annotations } };
  await setVolumePhase(client, await client.update(PersistentVolume, next), 'Available');
}

export async function setVolumePhase(
  client: CachedClient,
  volume: PersistentVolume,
  phase: VolumePhase,
  message = '',
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _message, ...kept } = volume.status ?? {};
  const status = { ...kept, phase, ...(message !== '' && { message }) };
  return await client.update(PersistentVolume, { ...volume, status }, { subresource: 'status' });
}

/** Sets the phase of a claim without a volume. Returns whether it changed. */
export async function setUnbound(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Lost',
): Promise<boolean> {
  const {
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...kept
  } = claim.status ?? {};
  const status = { ...kept, phase };
  if (deepEqual(status, claim.status ?? {})) return false;
  await client.update(PersistentVolumeClaim, { ...claim, status }, { subresource: 'status' });
  return true;
}

async function pointToClaim(
  client: CachedClient,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const isOurs = isBoundTo(volume, claim);
  if (isOurs && volume.spec?.claimRef?.uid === uid) return volume;
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
  const annotations = { ...volume.metadata.annotations, ...(!isOurs && { [BOUND_BY_CONTROLLER]: 'yes' }) };
  return await client.update(PersistentVolume, {
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: { ...volume.spec, claimRef },
  } as PersistentVolume);
}

async function pointToVolume(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  { metadata: { name = '' } }: PersistentVolume,
): Promise<PersistentVolumeClaim> {
  const isRequested = claim.spec?.volumeName === name;
  if (isRequested && isMarked(claim, BIND_COMPLETED)) return claim;
  const annotations = {
    ...claim.metadata.annotations,
    ...(!isRequested && { [BOUND_BY_CONTROLLER]: 'yes' }),
    [BIND_COMPLETED]: 'yes',
  };
  return await client.update(PersistentVolumeClaim, {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName: name },
  });
}

/** Copies access modes and capacity of the volume to the claim's status. A later resize updates the capacity itself. */
async function setBound(client: CachedClient, claim: PersistentVolumeClaim, { spec }: PersistentVolume): Promise<void> {
  const isNew = claim.status?.phase !== 'Bound';
  const attributes = claim.status?.phase === 'Pending' ? spec?.volumeAttributesClassName : undefined;
  const status = {
    ...claim.status,
    phase: 'Bound' as const,
    ...(spec?.accessModes && { accessModes: spec.accessModes }),
    ...(isNew && spec?.capacity && { capacity: spec.capacity }),
    ...(attributes !== undefined && { currentVolumeAttributesClassName: attributes }),
  };
  if (!deepEqual(status, claim.status ?? {}))
    await client.update(PersistentVolumeClaim, { ...claim, status }, { subresource: 'status' });
}
