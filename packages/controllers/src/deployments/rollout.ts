import { ReplicaSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { controllerOf } from '../common/owners.ts';
import { isTerminal } from '../common/pods.ts';
import type { DeploymentSync } from './deployment-sync.ts';
import { byRevision, DESIRED_REPLICAS } from './revisions.ts';
import {
  boundsOf,
  desiredReplicas,
  newReplicaSetSize,
  proportionalSizes,
  replicasOf,
  sortedByAge,
  totalAvailable,
  totalSize,
} from './sizes.ts';
import { isComplete, rolloutStatus } from './status.ts';

/**
 * True when the Deployment's size differs from the one that its ReplicaSets were annotated with. Ignores those without
 * the annotation.
 */
export function isScalingEvent(sync: DeploymentSync): boolean {
  const wanted = desiredReplicas(sync.deployment);
  return sync.all.some((set) => {
    const condition = annotatedSize(set);
    return replicasOf(set) > 0 && condition !== undefined && condition !== wanted;
  });
}

function annotatedSize({ metadata }: ReplicaSet): number | undefined {
  const text = metadata.annotations?.[DESIRED_REPLICAS] ?? '';
  return /^[+-]?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Scales the ReplicaSets to the Deployment's size without progressing a rollout. */
export async function scale(sync: DeploymentSync): Promise<void> {
  const wanted = desiredReplicas(sync.deployment);
  const active = sync.all.filter((set) => replicasOf(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? sync.newest ?? [...sync.old].sort(byRevision).at(-1);
    if (only !== undefined) await sync.scaleReplicaSet(only, wanted);
    return;
  }
  if (isSaturated(sync)) {
    for (const set of sync.activeOld) await sync.scaleReplicaSet(set, 0);
    return;
  }
  if (sync.deployment.spec?.strategy?.type === 'Recreate') return;
  for (const [set, size] of proportionalSizes(sync.deployment, active)) await sync.updateReplicaSetSize(set, size);
}

/** True when the newest ReplicaSet has the desired size, its annotation too, and all of its pods are available. */
function isSaturated({ newest, deployment }: DeploymentSync): boolean {
  const wanted = desiredReplicas(deployment);
  return (
    newest !== undefined &&
    replicasOf(newest) === wanted &&
    newest.metadata.annotations?.[DESIRED_REPLICAS] === String(wanted) &&
    (newest.status?.availableReplicas ?? 0) === wanted
  );
}

/** One step of a rolling update: scale the newest ReplicaSet up and the old ones down as far as allowed. */
export async function rolloutRolling(sync: DeploymentSync): Promise<void> {
  await sync.syncNewReplicaSet({ createIfNotExisted: true });
  await reconcileNewReplicaSet(sync);
  await reconcileOldReplicaSets(sync);
  if (sync.isChanged) return;
  if (isComplete(sync.deployment, rolloutStatus(sync.deployment, sync.newest, sync.all, sync.nowMs)))
    await cleanupDeployment(sync);
}

/** Scales all old ReplicaSets to zero before it creates pods of the new one. */
export async function rolloutRecreate(sync: DeploymentSync): Promise<void> {
  await sync.syncNewReplicaSet({ createIfNotExisted: false });
  let isShrunk = false;
  for (const set of sync.activeOld) isShrunk = (await sync.scaleReplicaSet(set, 0)) || isShrunk;
  if (isShrunk || (await oldPodsRunning(sync))) return;
  if (sync.newest === undefined) await sync.syncNewReplicaSet({ createIfNotExisted: true });
  if (sync.newest !== undefined) await sync.scaleReplicaSet(sync.newest, desiredReplicas(sync.deployment));
  if (isComplete(sync.deployment, rolloutStatus(sync.deployment, sync.newest, sync.all, sync.nowMs)))
    await cleanupDeployment(sync);
}

async function oldPodsRunning(sync: DeploymentSync): Promise<boolean> {
  if (sync.old.some(({ status }) => (status?.replicas ?? 0) > 0)) return true;
  const owners = new Set(sync.old.map(({ metadata }) => metadata.uid));
  const pods = await sync.client.list(Pod, { namespace: sync.deployment.metadata.namespace });
  return pods.some((pod) => owners.has(controllerOf(pod)?.uid) && !isTerminal(pod));
}

async function reconcileNewReplicaSet(sync: DeploymentSync): Promise<void> {
  const { newest, deployment } = sync;
  if (newest === undefined) return;
  const wanted = desiredReplicas(deployment);
  const size = replicasOf(newest);
  await sync.scaleReplicaSet(newest, size > wanted ? wanted : newReplicaSetSize(deployment, sync.all, size));
}

async function reconcileOldReplicaSets(sync: DeploymentSync): Promise<void> {
  const { deployment, newest } = sync;
  if (totalSize(sync.old) === 0) return;
  const minAvailable = desiredReplicas(deployment) - boundsOf(deployment).maxUnavailable;
  const newUnavailable = newest === undefined ? 0 : replicasOf(newest) - (newest.status?.availableReplicas ?? 0);
  const most = totalSize(sync.all) - minAvailable - newUnavailable;
  if (most <= 0) return;
  await cleanupUnhealthyReplicas(sync, most);
  const spare = totalAvailable(sync.all) - minAvailable;
  if (spare > 0) await scaleDown(sync, spare, replicasOf);
}

/** Removes pods that are not available first, which costs no availability. */
async function cleanupUnhealthyReplicas(sync: DeploymentSync, most: number): Promise<void> {
  await scaleDown(sync, most, (set) => replicasOf(set) - (set.status?.availableReplicas ?? 0));
}

/** Scales down the oldest ReplicaSets first, each by at most `atMost`, all by at most `total`. */
async function scaleDown(sync: DeploymentSync, total: number, atMost: (set: ReplicaSet) => number): Promise<void> {
  let removed = 0;
  for (const set of sortedByAge(sync.activeOld)) {
    const by = Math.min(total - removed, atMost(set));
    if (by <= 0) continue;
    await sync.scaleReplicaSet(set, replicasOf(set) - by);
    removed += by;
  }
}

/** Deletes the oldest empty ReplicaSets beyond `revisionHistoryLimit`. The others are kept for rollbacks. */
export async function cleanupDeployment(sync: DeploymentSync): Promise<void> {
  const limit = sync.deployment.spec?.revisionHistoryLimit ?? Number.POSITIVE_INFINITY;
  const kept = sync.old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const tooMany = kept.length - limit;
  if (!(tooMany > 0)) return;
  const oldest = [...kept].sort(byRevision).slice(0, tooMany);
  for (const set of oldest) {
    const { status, metadata } = set;
    const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    if (replicasOf(set) === 0 && (status?.replicas ?? 0) === 0 && isObserved) await sync.client.delete(ReplicaSet, set);
  }
}
