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
  readonly fewest: number;
  readonly most: number;
  readonly seconds: number;
}

/** Steps overlap, so that one node more or less does not switch between them. */
const STEPS: readonly Step[] = [
  { fewest: 0, most: 100, seconds: 0 },
  { fewest: 90, most: 500, seconds: 15 },
  { fewest: 450, most: 1_000, seconds: 30 },
  { fewest: 900, most: 2_000, seconds: 60 },
  { fewest: 1_800, most: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** Returns TTLs that grow with the number of nodes. */
export class TtlSteps {
  #step = 0;

  secondsFor(nodes: number): number {
    while (nodes > STEPS[this.#step]!.most) this.#step++;
    while (nodes < STEPS[this.#step]!.fewest) this.#step--;
    return STEPS[this.#step]!.seconds;
  }
}
