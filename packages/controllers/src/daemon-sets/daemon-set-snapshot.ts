import type { DaemonSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { isTerminal } from '../common/pods.ts';
import type { NodeEligibility } from './daemon-pod.ts';
import { targetNodeOf } from './daemon-pod.ts';

/** State of a DaemonSet, its pods and nodes at one moment. */
export interface DaemonSetSnapshot {
  readonly set: DaemonSet;
  readonly hash: string;
  /** Whether each node should run a pod, by name. */
  readonly eligibilityByNode: ReadonlyMap<string, NodeEligibility>;
  /** The set's pods by the node they are bound or pinned to. Bound ones come first, then the oldest. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly nowMs: number;
}

/** Pods to create and delete. */
export interface PodChanges {
  readonly podsToDelete: Pod[];
  readonly nodesNeedingPods: string[];
}

/** Groups pods by node, without those that have ended and are being deleted. */
export function groupByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    if (node === undefined || (pod.metadata.deletionTimestamp && isTerminal(pod))) continue;
    const others = found.get(node);
    if (others === undefined) found.set(node, [pod]);
    else others.push(pod);
  }
  for (const together of found.values()) if (together.length > 1) together.sort(byAge);
  return found;
}

function byAge(a: Pod, b: Pod): number {
  const keyOf = ({ metadata, spec }: Pod): string =>
    `${spec?.nodeName ? 0 : 1} ${metadata.creationTimestamp} ${metadata.name}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
