import type { Pod } from '@pintle/kinds/core/v1';
import { scaledValue } from '@pintle/machinery/quantity';
import { isAvailable } from '../common/pods.ts';
import { isUpdated } from './daemon-pod.ts';
import type { DaemonSetSnapshot, PodChanges } from './daemon-set-snapshot.ts';

/** Returns the next pods to replace, within `maxUnavailable` or `maxSurge`. */
export function rollingUpdate(snapshot: DaemonSetSnapshot): PodChanges {
  const { set, eligibilityByNode } = snapshot;
  const wanted = [...eligibilityByNode.keys()].filter((node) => eligibilityByNode.get(node)?.shouldRun).sort();
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted.length, { roundUp: true });
  const unavailable = scaledValue(maxUnavailable, wanted.length, { roundUp: true });
  const nodes = wanted.map((name) => podsOfNode(snapshot, name));
  return surge > 0 ? surgeNewPods(nodes, surge) : replaceOldPods(nodes, Math.max(1, unavailable));
}

interface NodePods {
  readonly node: string;
  readonly old: Pod | undefined;
  readonly updated: Pod | undefined;
  readonly isOldAvailable: boolean;
  readonly isUpdatedAvailable: boolean;
  /** There is more than one old or updated pod, which placement corrects first. */
  readonly hasExtraPods: boolean;
}

function podsOfNode({ set, hash, podsByNode, nowMs }: DaemonSetSnapshot, node: string): NodePods {
  const pods = (podsByNode.get(node) ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const updated = pods.filter((pod) => isUpdated(pod, set, hash));
  const old = pods.filter((pod) => !isUpdated(pod, set, hash));
  const isThere = (pod: Pod | undefined): boolean =>
    pod !== undefined && isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);
  return {
    node,
    old: old[0],
    updated: updated[0],
    isOldAvailable: isThere(old[0]),
    isUpdatedAvailable: isThere(updated[0]),
    hasExtraPods: old.length > 1 || updated.length > 1,
  };
}

/** Deletes old pods first. One that is not available goes at once. */
function replaceOldPods(nodes: readonly NodePods[], maxUnavailable: number): PodChanges {
  const podsToDelete: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { old, updated, isOldAvailable, isUpdatedAvailable, hasExtraPods } of nodes) {
    if (!hasExtraPods && updated === undefined && isOldAvailable) candidates.push(old!);
    else if (hasExtraPods || old !== undefined || !isUpdatedAvailable) unavailable++;
    if (!hasExtraPods && updated === undefined && old !== undefined && !isOldAvailable) podsToDelete.push(old);
  }
  return {
    podsToDelete: [...podsToDelete, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))],
    nodesNeedingPods: [],
  };
}

/** Creates updated pods first, and deletes an old one when its successor is available. */
function surgeNewPods(nodes: readonly NodePods[], maxSurge: number): PodChanges {
  const changes: PodChanges = { podsToDelete: [], nodesNeedingPods: [] };
  const candidates: string[] = [];
  let surged = 0;
  for (const { node, old, updated, isOldAvailable, isUpdatedAvailable, hasExtraPods } of nodes) {
    if (hasExtraPods) surged++;
    else if (updated === undefined) {
      if (old !== undefined) (isOldAvailable ? candidates : changes.nodesNeedingPods).push(node);
    } else if (!isUpdatedAvailable) surged++;
    else if (old !== undefined) changes.podsToDelete.push(old);
  }
  for (const node of candidates.slice(0, Math.max(0, maxSurge - surged))) changes.nodesNeedingPods.push(node);
  return changes;
}
