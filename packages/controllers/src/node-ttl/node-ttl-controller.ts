import { Node } from '@pintle/kinds/core/v1';
import type { Controller, Manager } from '@pintle/operator';
import { TtlSteps } from './ttl-steps.ts';

const TTL = 'node.alpha.kubernetes.io/ttl';

/** Tells kubelets for how long they may keep secrets and config maps they have read. */
export function addNodeTtlController(manager: Manager): Controller {
  const steps = new TtlSteps();
  return manager.controller(Node, 'ttl').reconcile(async ({ metadata }, { client }) => {
    const seconds = String(steps.secondsFor(manager.informers.find(Node)?.cache.list().length ?? 0));
    if (metadata.annotations?.[TTL] === seconds) return;
    const body = { metadata: { annotations: { [TTL]: seconds } } };
    await client.patch(Node, { name: metadata.name ?? '' }, { type: 'strategic', body });
  });
}
