import type { Node, Pod } from '@pintle/kinds/core/v1';
import { isEnded } from '../common/pods.ts';
import type { Candidate } from './node-fit.ts';
import { NodeUse } from './node-use.ts';

/** Which pods are on which nodes: as was heard, and as was decided but not heard back yet. */
export class ClusterView {
  readonly #uses = new Map<string, NodeUse>();
  readonly #placed = new Map<string, string>();
  /** Room was made for them on a node: nobody of less importance may take it. */
  readonly #nominated = new Map<string, { readonly pod: Pod; readonly nodeName: string }>();

  /** What was heard of a pod. One without a node may have been given one since. */
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

  /** Whether pods on a node keep others away from where it is. */
  keepsAway(nodeName: string): boolean {
    return this.#uses.get(nodeName)?.isShunning ?? false;
  }

  isPlaced(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** It is gone, or could not be put where it was meant to be. Gives whether that makes room on a node. */
  forget(uid: string): boolean {
    const nodeName = this.#placed.get(uid);
    if (nodeName !== undefined) this.#uses.get(nodeName)?.remove(uid);
    const wasNominated = this.#nominated.delete(uid);
    return this.#placed.delete(uid) || wasNominated;
  }

  /** The nodes as they are for a pod: those that room was made for, and that it may not displace, count as there. */
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

  /** Those of less importance that room was made for on a node. */
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
