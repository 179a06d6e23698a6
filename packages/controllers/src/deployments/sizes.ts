import type { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';
import { scaledValue } from '@pintle/machinery/quantity';
import { MAX_REPLICAS } from './revisions.ts';

export function desiredReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

export function replicasOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 0;
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((total, set) => total + (count(set) ?? 0), 0);
}

export const totalSize = (sets: readonly ReplicaSet[]): number => sum(sets, replicasOf);
export const totalAvailable = (sets: readonly ReplicaSet[]): number =>
  sum(sets, ({ status }) => status?.availableReplicas);

/** Returns how many pods above and below the desired size a rolling update allows. Recreate allows neither. */
export function boundsOf(deployment: Deployment): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const { type, rollingUpdate = {} } = deployment.spec?.strategy ?? {};
  const wanted = desiredReplicas(deployment);
  if (type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(rollingUpdate.maxSurge ?? '25%', wanted, { roundUp: true });
  const maxUnavailable = scaledValue(rollingUpdate.maxUnavailable ?? '25%', wanted, { roundUp: false });
  if (wanted === 0) return { maxSurge, maxUnavailable: 0 };
  // With neither, the rollout could not progress.
  return { maxSurge, maxUnavailable: Math.min(wanted, maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable) };
}

/** Returns the size that the newest ReplicaSet may have now. */
export function newReplicaSetSize(deployment: Deployment, sets: readonly ReplicaSet[], current: number): number {
  const wanted = desiredReplicas(deployment);
  if (deployment.spec?.strategy?.type === 'Recreate') return wanted;
  const room = wanted + boundsOf(deployment).maxSurge - totalSize(sets);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

export function sortedByAge(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return [...sets].sort(
    ({ metadata: a }, { metadata: b }) =>
      Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '') ||
      ((a.name ?? '') < (b.name ?? '') ? -1 : 1),
  );
}

/**
 * Distributes a change of the Deployment's size among its ReplicaSets during a rollout, in proportion to their sizes.
 * The largest gets the rounding error.
 */
export function proportionalSizes(deployment: Deployment, sets: readonly ReplicaSet[]): Map<ReplicaSet, number> {
  const wanted = desiredReplicas(deployment);
  const allowed = wanted > 0 ? wanted + boundsOf(deployment).maxSurge : 0;
  const toAdd = allowed - totalSize(sets);
  const byAge = sortedByAge(sets);
  const ordered = (toAdd > 0 ? byAge.reverse() : byAge).sort((a, b) => replicasOf(b) - replicasOf(a));
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of ordered) {
    const share = toAdd === 0 ? 0 : shareOf(set, deployment, toAdd, added);
    sizes.set(set, replicasOf(set) + share);
    added += share;
  }
  const [first] = ordered;
  if (first !== undefined && toAdd !== 0) sizes.set(first, Math.max(0, sizes.get(first)! + toAdd - added));
  return sizes;
}

function shareOf(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  const size = replicasOf(set);
  if (size === 0) return 0;
  const fraction = fractionOf(set, deployment);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const size = replicasOf(set);
  const wanted = desiredReplicas(deployment);
  if (wanted === 0) return -size;
  const text = set.metadata.annotations?.[MAX_REPLICAS] ?? '';
  const before = /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (wanted + boundsOf(deployment).maxSurge)) / before) - size;
}
