import { ReplicaSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { controllerOf } from '../common/owners.ts';
import { isEnded } from '../common/pods.ts';
import type { DeploymentSync } from './deployment-sync.ts';
import { byRevision, DESIRED } from './revisions.ts';
import {
  boundsOf,
  inOrderOfAge,
  newestSize,
  proportionalSizes,
  sizeOf,
  totalAvailable,
  totalSize,
  wantedOf,
} from './sizes.ts';
import { isComplete, rolloutStatus } from './status.ts';

/**
 * True when the Deployment's size differs from the one that its ReplicaSets were annotated with. Ignores those without
 * the annotation.
 */
export function isScaled(sync: DeploymentSync): boolean {
  const wanted = wantedOf(sync.deployment);
  return sync.all.some((set) => {
    const told = toldSize(set);
    return sizeOf(set) > 0 && told !== undefined && told !== wanted;
  });
}

function toldSize({ metadata }: ReplicaSet): number | undefined {
  const text = metadata.annotations?.[DESIRED] ?? '';
  return /^[+-]?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Scales the ReplicaSets to the Deployment's size without progressing a rollout. */
export async function scale(sync: DeploymentSync): Promise<void> {
  const wanted = wantedOf(sync.deployment);
  const active = sync.all.filter((set) => sizeOf(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? sync.newest ?? [...sync.old].sort(byRevision).at(-1);
    if (only !== undefined) await sync.resize(only, wanted);
    return;
  }
  if (isSaturated(sync)) {
    for (const set of sync.activeOld) await sync.resize(set, 0);
    return;
  }
  if (sync.deployment.spec?.strategy?.type === 'Recreate') return;
  for (const [set, size] of proportionalSizes(sync.deployment, active)) await sync.tell(set, size);
}

/** True when the newest ReplicaSet has the desired size, its annotation too, and all of its pods are available. */
function isSaturated({ newest, deployment }: DeploymentSync): boolean {
  const wanted = wantedOf(deployment);
  return (
    newest !== undefined &&
    sizeOf(newest) === wanted &&
    newest.metadata.annotations?.[DESIRED] === String(wanted) &&
    (newest.status?.availableReplicas ?? 0) === wanted
  );
}

/** One step of a rolling update: scale the newest ReplicaSet up and the old ones down as far as allowed. */
export async function roll(sync: DeploymentSync): Promise<void> {
  await sync.settleNewest({ isMade: true });
  await growNewest(sync);
  await shrinkOld(sync);
  if (sync.isChanged) return;
  if (isComplete(sync.deployment, rolloutStatus(sync.deployment, sync.newest, sync.all, sync.nowMs)))
    await dropHistory(sync);
}

/** Scales all old ReplicaSets to zero before it creates pods of the new one. */
export async function recreate(sync: DeploymentSync): Promise<void> {
  await sync.settleNewest({ isMade: false });
  let isShrunk = false;
  for (const set of sync.activeOld) isShrunk = (await sync.resize(set, 0)) || isShrunk;
  if (isShrunk || (await isOldRunning(sync))) return;
  if (sync.newest === undefined) await sync.settleNewest({ isMade: true });
  if (sync.newest !== undefined) await sync.resize(sync.newest, wantedOf(sync.deployment));
  if (isComplete(sync.deployment, rolloutStatus(sync.deployment, sync.newest, sync.all, sync.nowMs)))
    await dropHistory(sync);
}

async function isOldRunning(sync: DeploymentSync): Promise<boolean> {
  if (sync.old.some(({ status }) => (status?.replicas ?? 0) > 0)) return true;
  const owners = new Set(sync.old.map(({ metadata }) => metadata.uid));
  const pods = await sync.client.list(Pod, { namespace: sync.deployment.metadata.namespace });
  return pods.some((pod) => owners.has(controllerOf(pod)?.uid) && !isEnded(pod));
}

async function growNewest(sync: DeploymentSync): Promise<void> {
  const { newest, deployment } = sync;
  if (newest === undefined) return;
  const wanted = wantedOf(deployment);
  const size = sizeOf(newest);
  await sync.resize(newest, size > wanted ? wanted : newestSize(deployment, sync.all, size));
}

async function shrinkOld(sync: DeploymentSync): Promise<void> {
  const { deployment, newest } = sync;
  if (totalSize(sync.old) === 0) return;
  const minAvailable = wantedOf(deployment) - boundsOf(deployment).maxUnavailable;
  const newUnavailable = newest === undefined ? 0 : sizeOf(newest) - (newest.status?.availableReplicas ?? 0);
  const most = totalSize(sync.all) - minAvailable - newUnavailable;
  if (most <= 0) return;
  await shrinkUnhealthy(sync, most);
  const spare = totalAvailable(sync.all) - minAvailable;
  if (spare > 0) await shrinkBy(sync, spare, sizeOf);
}

/** Removes pods that are not available first, which costs no availability. */
async function shrinkUnhealthy(sync: DeploymentSync, most: number): Promise<void> {
  await shrinkBy(sync, most, (set) => sizeOf(set) - (set.status?.availableReplicas ?? 0));
}

/** Scales down the oldest ReplicaSets first, each by at most `atMost`, all by at most `total`. */
async function shrinkBy(sync: DeploymentSync, total: number, atMost: (set: ReplicaSet) => number): Promise<void> {
  let removed = 0;
  for (const set of inOrderOfAge(sync.activeOld)) {
    const by = Math.min(total - removed, atMost(set));
    if (by <= 0) continue;
    await sync.resize(set, sizeOf(set) - by);
    removed += by;
  }
}

/** Deletes the oldest empty ReplicaSets beyond `revisionHistoryLimit`. The others are kept for rollbacks. */
export async function dropHistory(sync: DeploymentSync): Promise<void> {
  const limit = sync.deployment.spec?.revisionHistoryLimit ?? Number.POSITIVE_INFINITY;
  const kept = sync.old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const tooMany = kept.length - limit;
  if (!(tooMany > 0)) return;
  const oldest = [...kept].sort(byRevision).slice(0, tooMany);
  for (const set of oldest) {
    const { status, metadata } = set;
    const isSettled = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    if (sizeOf(set) === 0 && (status?.replicas ?? 0) === 0 && isSettled) await sync.client.delete(ReplicaSet, set);
  }
}
