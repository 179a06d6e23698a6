import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { isNotFound } from '@pintle/machinery/errors';
import { isTracked, TRACKING } from './tracked-pod.ts';

/** Tracks a pod no longer. One that is gone needs no letting go. */
export async function releasePod(client: CachedClient, pod: Pod): Promise<void> {
  if (!isTracked(pod)) return;
  const { namespace, name = '' } = pod.metadata;
  const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
  try {
    await client.patch(Pod, { namespace, name }, { type: 'strategic', body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
