import type { Manager } from '@pintle/operator';
import { addScheduler } from '../scheduler/scheduler.ts';
import { addSimulatedKubelet } from './simulated-kubelet.ts';
import { SimulatedNode } from './simulated-node.ts';

/** Adds nodes without machines, and a scheduler that puts pods on them. */
export function addSimulatedNodes(manager: Manager, count: number): void {
  const nodes = Array.from({ length: count }, (_, index) => new SimulatedNode(manager, index));
  for (const node of nodes) manager.add(node);
  addScheduler(manager);
  addSimulatedKubelet(manager, nodes);
}
