import type { DaemonSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { isEnded } from '../common/pods.ts';
import type { Fit } from './daemon-pod.ts';
import { targetOf } from './daemon-pod.ts';

/** What a daemon set is like at one moment. */
export interface Look {
  readonly set: DaemonSet;
  readonly hash: string;
  /** How its pods fit the nodes there are, by name. */
  readonly fits: ReadonlyMap<string, Fit>;
  /** Its pods by the node they are on or aimed at, those that are on it first, then by age. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly nowMs: number;
}

/** What is to be done about it. */
export interface Steps {
  readonly remove: Pod[];
  /** Nodes that get a pod. */
  readonly make: string[];
}

/** Pods that have ended and are going leave their place to others. */
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
