import type { Pod } from '@pintle/kinds/core/v1';
import { podAmounts } from '@pintle/kinds/usage';
import { Quantity } from '@pintle/machinery/quantity';
import { controllerOf } from '../common/owners.ts';

interface PodRequests {
  readonly pod: Pod;
  readonly requests: ReadonlyMap<string, Quantity>;
}

const NOTHING = new Quantity(0n);

/** Pods on a node with their sums. Adding or removing a pod takes the same time however many there are. */
export class NodeInfo {
  readonly #assigned = new Map<string, PodRequests>();
  readonly #requested = new Map<string, Quantity>();
  readonly #ports = new Map<string, number>();
  readonly #perOwner = new Map<string, number>();
  /** Pods with required anti-affinity. */
  readonly #antiAffinityPods = new Map<string, Pod>();

  get size(): number {
    return this.#assigned.size;
  }

  *pods(): Iterable<Pod> {
    for (const { pod } of this.#assigned.values()) yield pod;
  }

  get hasAntiAffinityPods(): boolean {
    return this.#antiAffinityPods.size > 0;
  }

  antiAffinityPods(): Iterable<Pod> {
    return this.#antiAffinityPods.values();
  }

  requested(resource: string): Quantity {
    return this.#requested.get(resource) ?? NOTHING;
  }

  hasPort(port: string): boolean {
    return this.#ports.has(port);
  }

  /** Returns the number of pods of an owner. */
  countOf(owner: string): number {
    return this.#perOwner.get(owner) ?? 0;
  }

  /** Adds or replaces a pod. */
  add(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.remove(uid);
    const requests = requestsOf(pod);
    this.#assigned.set(uid, { pod, requests });
    for (const [name, amount] of requests) this.#requested.set(name, this.requested(name).add(amount));
    for (const port of hostPortsOf(pod)) count(this.#ports, port, 1);
    count(this.#perOwner, controllerOf(pod)?.uid ?? '', 1);
    if (pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length)
      this.#antiAffinityPods.set(uid, pod);
  }

  remove(uid: string): void {
    const placed = this.#assigned.get(uid);
    if (placed === undefined) return;
    this.#assigned.delete(uid);
    this.#antiAffinityPods.delete(uid);
    for (const [name, amount] of placed.requests) this.#requested.set(name, this.requested(name).subtract(amount));
    for (const port of hostPortsOf(placed.pod)) count(this.#ports, port, -1);
    count(this.#perOwner, controllerOf(placed.pod)?.uid ?? '', -1);
  }

  /** Returns a copy to try changes on. */
  copy(): NodeInfo {
    const copy = new NodeInfo();
    for (const pod of this.pods()) copy.add(pod);
    return copy;
  }
}

type Amounts = ReturnType<typeof podAmounts>;

const REQUESTS = new WeakMap<Pod, Amounts>();

/**
 * Returns the resources a pod requests. Cached, because every node asks for them and a pod may have thousands of
 * containers.
 */
export function requestsOf(pod: Pod): Amounts {
  const known = REQUESTS.get(pod) ?? podAmounts(pod, 'requests');
  REQUESTS.set(pod, known);
  return known;
}

export function hostPortsOf({ spec }: Pod): string[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol}/${hostPort}`] : [])),
  );
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
