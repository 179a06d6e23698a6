import type { Manager } from '@pintle/operator';
import { NodeAgent } from '../node-agent/node-agent.ts';
import { PodNetwork } from '../node-agent/pod-network.ts';

const SIMULATED = 'pintle.dev/simulated';
const CAPACITY = { cpu: '8', memory: '32Gi', pods: '500', 'ephemeral-storage': '100Gi' };

/** A node without a machine. */
export interface SimulatedNode {
  readonly name: string;
  readonly address: string;
  readonly network: PodNetwork;
}

/** Adds nodes that register and renew their leases. */
export function addNodes(manager: Manager, count: number): SimulatedNode[] {
  return Array.from({ length: count }, (_, index) => {
    const network = new PodNetwork(index);
    const node = { name: `node-${index}`, address: `192.0.2.${(index % 250) + 1}`, network };
    manager.add(
      new NodeAgent(manager, {
        ...node,
        podCidr: network.cidr,
        annotations: { [SIMULATED]: 'true' },
        capacity: CAPACITY,
        runtime: 'simulated://1',
        osImage: 'simulated',
      }),
    );
    return node;
  });
}
