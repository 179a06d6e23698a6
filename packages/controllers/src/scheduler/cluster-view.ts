import type { Node, Pod } from '@pintle/kinds/core/v1';
import { isEnded } from '../common/pods.ts';
import type { Candidate } from './node-fit.ts';
import { NodeUse } from './node-use.ts';

/** Pods by node: those that were observed, and those that were assigned but not observed yet. */
export class ClusterView {
  readonly #uses = new Map<string, NodeUse>();
  readonly #placed = new Map<string, string>();
  /** Pods that victims were preempted for, by uid. Pods of lower priority must not take their room. */
  readonly #nominated = new Map<string, { readonly pod: Pod; readonly nodeName: string }>();

  /** Updates a pod. One without a node may have been assigned meanwhile. */
  observe(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const { nodeName } = pod.spec ?? {};
    if (isEnded(pod)) this.forget(uid);
    else if (nodeName) this.place(pod, nodeName);
    else if (pod.status?.nominatedNodeName) this.nominate(pod, pod.status.nominatedNodeName);
  }

  place(pod: Pod, nodeName: string): void {
    const { uid = '' } = pod.metadata;
    const before = this.#placed.get(uid);
    if (before !== undefined && before !== nodeName) this.#uses.get(before)?.remove(uid);
    this.#nominated.delete(uid);
    this.#placed.set(uid, nodeName);
    this.#useOf(nodeName).add(pod);
  }

  nominate(pod: Pod, nodeName: string): void {
    const { uid = '' } = pod.metadata;
    if (!this.#placed.has(uid)) this.#nominated.set(uid, { pod, nodeName });
  }

  /** True when a pod on the node has required anti-affinity. */
  keepsAway(nodeName: string): boolean {
    return this.#uses.get(nodeName)?.isShunning ?? false;
  }

  isPlaced(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** Removes a pod that is gone or could not be bound. Returns whether that frees room on a node. */
  forget(uid: string): boolean {
    const nodeName = this.#placed.get(uid);
    if (nodeName !== undefined) this.#uses.get(nodeName)?.remove(uid);
    const wasNominated = this.#nominated.delete(uid);
    return this.#placed.delete(uid) || wasNominated;
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
      const use = others === undefined ? this.#useOf(name) : this.#useOf(name).copy();
      for (const other of others ?? []) use.add(other);
      return { node, use };
    });
  }

  /** Returns nominated pods of lower priority on a node. */
  nominatedBelow(priority: number, nodeName: string): Pod[] {
    return [...this.#nominated.values()]
      .filter((nominated) => nominated.nodeName === nodeName && priorityOf(nominated.pod) < priority)
      .map(({ pod }) => pod);
  }

  #useOf(nodeName: string): NodeUse {
    const use = this.#uses.get(nodeName) ?? new NodeUse();
    this.#uses.set(nodeName, use);
    return use;
  }
}

export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0;
}
