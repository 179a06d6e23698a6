import { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import { parseQuantity } from '@pintle/machinery/quantity';
import type { Controller, Manager } from '@pintle/operator';
import { eventRecorder } from '../common/record-event.ts';

/** Records that a resize waits for an external driver. */
export function addPersistentVolumeExpander(manager: Manager): Controller {
  const record = eventRecorder(manager, 'volume_expand');
  return manager.controller(PersistentVolumeClaim, 'persistentvolume-expander').reconcile(async (claim, { client }) => {
    const { spec, status } = claim;
    const asked = parseQuantity(String(spec?.resources?.requests?.storage ?? '0'));
    const has = parseQuantity(String(status?.capacity?.storage ?? '0'));
    if (status?.phase !== 'Bound' || !spec?.volumeName || asked.compare(has) <= 0) return;
    const volume = await client.find(PersistentVolume, { name: spec.volumeName });
    if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return;
    record(PersistentVolumeClaim, claim, {
      type: 'Normal',
      reason: 'ExternalExpanding',
      message: 'waiting for an external controller to expand this PVC',
    });
  });
}
