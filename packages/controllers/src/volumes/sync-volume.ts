import type { CachedClient } from '@pintle/client';
import { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import type { RecordEvent } from '../common/record-event.ts';
import { setVolumePhase, unbind } from './binding.ts';
import { isOfMode } from './find-volume.ts';
import { MIGRATED_TO, PROVISIONED_BY } from './storage-names.ts';

/**
 *     Available ◄──► Bound ──► Released ──► deleted, or Failed, by its reclaim policy
 *
 * A volume is released with its claim and never becomes available by itself, because it has data on it.
 */
export async function syncVolume(client: CachedClient, volume: PersistentVolume, record: RecordEvent): Promise<void> {
  const { claimRef } = volume.spec ?? {};
  if (!claimRef?.uid) return void (await setVolumePhase(client, volume, 'Available'));
  const claim = await claimOf(client, volume);
  if (claim === undefined) return await release(client, volume, record);
  const name = claim.spec?.volumeName ?? '';
  if (name === volume.metadata.name) return void (await setVolumePhase(client, volume, 'Bound'));
  if (name === '') return recordMismatch(volume, claim, record);
  const isMadeForIt = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined;
  if (isMadeForIt && volume.spec?.persistentVolumeReclaimPolicy === 'Delete') await release(client, volume, record);
  else await unbind(client, volume);
}

/** Returns the claim of a volume. Asks the server when the cache does not have it, because the cache may be stale. */
async function claimOf(client: CachedClient, volume: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
  const cached = await client.find(PersistentVolumeClaim, { namespace, name });
  if (cached?.metadata.uid === uid) return cached;
  if (cached === undefined && isReleased(volume)) return undefined;
  const fresh = await client.live.find(PersistentVolumeClaim, { namespace, name });
  return fresh?.metadata.uid === uid ? fresh : undefined;
}

function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}

async function release(client: CachedClient, volume: PersistentVolume, record: RecordEvent): Promise<void> {
  const released = isReleased(volume) ? volume : await setVolumePhase(client, volume, 'Released');
  if (released.metadata.annotations?.[MIGRATED_TO]) return;
  const fail = async (reason: string, message: string): Promise<void> => {
    if (released.status?.phase === 'Failed') return;
    await setVolumePhase(client, released, 'Failed', message);
    record(PersistentVolume, released, { type: 'Warning', reason, message });
  };
  const policy = released.spec?.persistentVolumeReclaimPolicy;
  if (policy === 'Recycle') {
    if (!released.spec?.hostPath && !released.spec?.nfs)
      await fail('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
  } else if (policy === 'Delete') {
    const why = deleteError(released);
    if (why !== undefined) await fail('VolumeFailedDelete', why);
    else if (!isDeletedOutside(released)) await client.delete(PersistentVolume, released);
  }
}

/** True when an external driver deletes the volume. */
function isDeletedOutside({ metadata, spec }: PersistentVolume): boolean {
  const provisioner = metadata.annotations?.[PROVISIONED_BY];
  return provisioner ? !provisioner.startsWith('kubernetes.io/') : spec?.csi !== undefined;
}

/** Among volumes without a driver only directories below /tmp can be deleted. */
function deleteError(volume: PersistentVolume): string | undefined {
  if (isDeletedOutside(volume)) return undefined;
  const { spec, metadata } = volume;
  if (spec?.hostPath)
    return /\/tmp\/./.test(spec.hostPath.path)
      ? undefined
      : `host_path deleter only supports /tmp/.+ but received provided ${spec.hostPath.path}`;
  const what = spec?.nfs ? 'no deletable volume plugin matched' : 'no volume plugin matched';
  return `error getting deleter volume plugin for volume "${metadata.name}": ${what}`;
}

/** Records an event when the volume does not fit the claim that requests it. */
function recordMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim, record: RecordEvent): void {
  if (isOfMode(volume, claim)) return;
  const words = (what: string, other: string): string =>
    `Cannot bind PersistentVolume ${what}to requested PersistentVolumeClaim ${other}due to incompatible volumeMode.`;
  const event = { type: 'Warning', reason: 'VolumeMismatch' } as const;
  record(PersistentVolume, volume, { ...event, message: words('', `"${claim.metadata.name}" `) });
  record(PersistentVolumeClaim, claim, { ...event, message: words(`"${volume.metadata.name}" `, '') });
}
