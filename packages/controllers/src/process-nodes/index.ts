import { availableParallelism, networkInterfaces, totalmem } from 'node:os';
import type { Manager } from '@pintle/operator';
import { NodeAgent } from '../node-agent/node-agent.ts';
import { PodNetwork } from '../node-agent/pod-network.ts';
import { addScheduler } from '../scheduler/scheduler.ts';
import type { MachineEnvironment } from './container-environment.ts';
import { ProcessKubelet } from './process-kubelet.ts';

export interface ProcessNodesOptions {
  /** Variables of the host that every process gets, such as PATH. */
  readonly machine: MachineEnvironment;
}

/**
 * Adds nodes that run the commands of pods as processes of this machine, and a scheduler for them. Ignores images and
 * volumes. Clients that may create pods may run anything here: for demonstrations only.
 */
export function addProcessNodes(manager: Manager, count: number, { machine }: ProcessNodesOptions): ProcessKubelet {
  const address = ownAddress();
  const nodes = Array.from({ length: count }, (_, index) => `node-${index}`);
  for (const [index, name] of nodes.entries())
    manager.add(
      new NodeAgent(manager, {
        name,
        address,
        podCidr: new PodNetwork(index).cidr,
        annotations: { 'pintle.dev/kubelet': 'process' },
        capacity: { cpu: String(availableParallelism()), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: '110' },
        runtime: 'process://1',
        osImage: process.platform,
      }),
    );
  addScheduler(manager);
  return new ProcessKubelet(manager, { nodes, address, machine });
}

/** Returns the address of this machine for others. Not a loopback address, which Services must not have. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal);
  return found?.address ?? '192.0.2.1';
}
