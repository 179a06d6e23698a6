import type { CachedClient } from '@pintle/client';
import { PersistentVolumeClaim, Pod, type Volume } from '@pintle/kinds/core/v1';
import { deepCopy } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { controllerRef, isControlledBy } from '../common/owners.ts';
import { eventRecorder } from '../common/record-event.ts';

/** Creates claims for pods' ephemeral volumes, which are deleted with their pod. */
export function addEphemeralVolumeController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'ephemeral_volume');
  return manager
    .controller(Pod, 'ephemeral-volume')
    .filter(({ object: { spec } }) => spec?.volumes?.some(({ ephemeral }) => ephemeral) ?? false)
    .owns(PersistentVolumeClaim)
    .reconcile(async (pod, { client }) => {
      if (pod.metadata.deletionTimestamp) return;
      for (const volume of pod.spec?.volumes ?? []) {
        try {
          await createClaim(client, pod, volume);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          const message = `ephemeral volume ${volume.name}: ${why}`;
          record(Pod, pod, { type: 'Warning', reason: 'FailedBinding', message });
          throw error;
        }
      }
    });
}

async function createClaim(client: CachedClient, pod: Pod, { name: volume, ephemeral }: Volume): Promise<void> {
  const template = ephemeral?.volumeClaimTemplate;
  if (template === undefined) return;
  const { namespace, name: podName } = pod.metadata;
  const name = `${podName}-${volume}`;
  const found = await client.find(PersistentVolumeClaim, { namespace, name });
  if (found !== undefined) {
    if (isControlledBy(found, pod)) return;
    const [theirs, ours] = [`${namespace}/${name}`, `${namespace}/${podName}`];
    throw new Error(`PVC ${theirs} was not created for pod ${ours} (pod is not owner)`);
  }
  const { labels, annotations } = template.metadata ?? {};
  const metadata = {
    ...(namespace && { namespace }),
    name,
    ...(labels && { labels: { ...labels } }),
    ...(annotations && { annotations: { ...annotations } }),
    ownerReferences: [controllerRef(Pod, pod)],
  };
  try {
    await client.create(PersistentVolumeClaim, { metadata, spec: deepCopy(template.spec) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`create PVC ${name}: ${why}`, { cause: error });
  }
}
