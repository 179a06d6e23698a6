import type { Client, NamespacedRef } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';

/** Sets the status of a Deployment as its controller would for `count` available pods. For planes without controllers. */
export async function setDeploymentAvailable(client: Client, deployment: NamespacedRef, count: number): Promise<void> {
  const status = { replicas: count, readyReplicas: count, availableReplicas: count };
  await client.patch(Deployment, deployment, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** Marks `count` pods of a Deployment ready and the others not ready, in place of nodes. False when it has fewer pods. */
export async function setPodsReady(
  client: Client,
  deployment: NamespacedRef,
  count: number,
  now: Date,
): Promise<boolean> {
  const { spec } = await client.get(Deployment, deployment);
  const labels = Object.entries(spec?.selector?.matchLabels ?? {});
  const labelSelector = labels.map(([name, value]) => `${name}=${value}`).join();
  const { items } = await client.list(Pod, { ...namespaceOf(deployment), labelSelector });
  const pods = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pods.length < count) return false;
  for (const [index, { metadata }] of pods.entries()) {
    const ref = { namespace: metadata.namespace, name: metadata.name ?? '' };
    const body = { status: statusOf(index < count, now) };
    await client.patch(Pod, ref, { type: 'merge', body }, { subresource: 'status' });
  }
  return true;
}

function namespaceOf({ namespace }: NamespacedRef): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function statusOf(isReady: boolean, now: Date) {
  const lastTransitionTime = now.toISOString().replace(/\.\d+/, '');
  const conditions = [{ type: 'Ready', status: isReady ? ('True' as const) : ('False' as const), lastTransitionTime }];
  return { phase: 'Running' as const, conditions };
}
