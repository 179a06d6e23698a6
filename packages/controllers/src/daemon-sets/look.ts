import type { DaemonSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { isEnded } from '../common/pods.ts';
import type { Fit } from './daemon-pod.ts';
import { targetOf } from './daemon-pod.ts';

/** State of a DaemonSet, its pods and nodes at one moment. */
export interface Look {
  readonly set: DaemonSet;
  readonly hash: string;
  /** Whether each node should run a pod, by name. */
  readonly fits: ReadonlyMap<string, Fit>;
  /** The set's pods by the node they are bound or pinned to. Bound ones come first, then the oldest. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly nowMs: number;
}

/** Pods to create and delete. */
export interface Steps {
  readonly remove: Pod[];
  readonly make: string[];
}

/** Groups pods by node, without those that have ended and are being deleted. */
export function byNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetOf(pod);
    if (node === undefined || (pod.metadata.deletionTimestamp && isEnded(pod))) continue;
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
