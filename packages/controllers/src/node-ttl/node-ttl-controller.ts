import { Node } from '@pintle/kinds/core/v1';
import type { Controller, Manager } from '@pintle/operator';

const TTL = 'node.alpha.kubernetes.io/ttl';

/** Annotates nodes with the time that kubelets may cache Secrets and ConfigMaps. */
export function addNodeTtlController(manager: Manager): Controller {
  const steps = new TtlSteps();
  return manager.controller(Node, 'ttl').reconcile(async ({ metadata }, { client }) => {
    const seconds = String(steps.secondsFor(manager.informers.find(Node)?.cache.list().length ?? 0));
    if (metadata.annotations?.[TTL] === seconds) return;
    const body = { metadata: { annotations: { [TTL]: seconds } } };
    await client.patch(Node, { name: metadata.name ?? '' }, { type: 'strategic', body });
  });
}

interface Step {
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly seconds: number;
}

/** Steps overlap, so that one node more or less does not switch between them. */
const STEPS: readonly Step[] = [
  { minNodes: 0, maxNodes: 100, seconds: 0 },
  { minNodes: 90, maxNodes: 500, seconds: 15 },
  { minNodes: 450, maxNodes: 1_000, seconds: 30 },
  { minNodes: 900, maxNodes: 2_000, seconds: 60 },
  { minNodes: 1_800, maxNodes: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** Returns TTLs that grow with the number of nodes. */
export class TtlSteps {
  #step = 0;

  secondsFor(nodes: number): number {
    while (nodes > STEPS[this.#step]!.maxNodes) this.#step++;
    while (nodes < STEPS[this.#step]!.minNodes) this.#step--;
    return STEPS[this.#step]!.seconds;
  }
}
