import type { Node, Pod } from '@pintle/kinds/core/v1';
import { isTerminal } from '../common/pods.ts';
import type { Candidate } from './node-fit.ts';
import { NodeInfo } from './node-info.ts';

/** Pods by node: those that were observed, and those that were assigned but not observed yet. */
export class ClusterView {
  readonly #nodeInfos = new Map<string, NodeInfo>();
  readonly #assigned = new Map<string, string>();
  /** Pods that victims were preempted for, by uid. Pods of lower priority must not take their room. */
  readonly #nominated = new Map<string, { readonly pod: Pod; readonly nodeName: string }>();

  /** Updates a pod. One without a node may have been assigned meanwhile. */
  observe(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const { nodeName } = pod.spec ?? {};
    if (isTerminal(pod)) this.forget(uid);
    else if (nodeName) this.domain(pod, nodeName);
    else if (pod.status?.nominatedNodeName) this.nominate(pod, pod.status.nominatedNodeName);
  }

  domain(pod: Pod, nodeName: string): void {
    const { uid = '' } = pod.metadata;
    const before = this.#assigned.get(uid);
    if (before !== undefined && before !== nodeName) this.#nodeInfos.get(before)?.remove(uid);
    this.#nominated.delete(uid);
    this.#assigned.set(uid, nodeName);
    this.#infoOf(nodeName).add(pod);
  }

  nominate(pod: Pod, nodeName: string): void {
    const { uid = '' } = pod.metadata;
    if (!this.#assigned.has(uid)) this.#nominated.set(uid, { pod, nodeName });
  }

  /** True when a pod on the node has required anti-affinity. */
  hasAntiAffinity(nodeName: string): boolean {
    return this.#nodeInfos.get(nodeName)?.hasAntiAffinityPods ?? false;
  }

  isAssigned(uid: string): boolean {
    return this.#assigned.has(uid);
  }

  /** Removes a pod that is gone or could not be bound. Returns whether that frees room on a node. */
  forget(uid: string): boolean {
    const nodeName = this.#assigned.get(uid);
    if (nodeName !== undefined) this.#nodeInfos.get(nodeName)?.remove(uid);
    const wasNominated = this.#nominated.delete(uid);
    return this.#assigned.delete(uid) || wasNominated;
  }

  /** Returns the nodes for scheduling a pod. Nominated pods of the same or higher priority count as running. */
  candidatesFor(pod: Pod, nodes: readonly Node[]): Candidate[] {
    const reserved = new Map<string, Pod[]>();
    for (const { pod: other, nodeName } of this.#nominated.values()) {
      if (other.metadata.uid === pod.metadata.uid || priorityOf(other) < priorityOf(pod)) continue;
      const others = reserved.get(nodeName);
      if (others === undefined) reserved.set(nodeName, [other]);
      else others.push(other);
    }
    return nodes.map((node) => {
      const { name = '' } = node.metadata;
      const others = reserved.get(name);
      const info = others === undefined ? this.#infoOf(name) : this.#infoOf(name).copy();
      for (const other of others ?? []) info.add(other);
      return { node, info };
    });
  }

  /** Returns nominated pods of lower priority on a node. */
  nominatedBelow(priority: number, nodeName: string): Pod[] {
    return [...this.#nominated.values()]
      .filter((nominated) => nominated.nodeName === nodeName && priorityOf(nominated.pod) < priority)
      .map(({ pod }) => pod);
  }

  #infoOf(nodeName: string): NodeInfo {
    const info = this.#nodeInfos.get(nodeName) ?? new NodeInfo();
    this.#nodeInfos.set(nodeName, info);
    return info;
  }
}

export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0;
}
