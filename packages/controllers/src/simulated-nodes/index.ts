import type { Manager } from '@pintle/operator';
import { addScheduler } from '../scheduler/scheduler.ts';
import type { PodRule } from './pod-behaviour.ts';
import { SimulatedContainers } from './simulated-containers.ts';
import { addSimulatedKubelet } from './simulated-kubelet.ts';
import { addNodes } from './simulated-node.ts';

export interface SimulatedNodesOptions {
  /** How pods behave, whatever their annotations say. */
  readonly rule?: PodRule;
}

/** Adds nodes without machines, and a scheduler that puts pods on them. Gives the way to what would run there. */
export function addSimulatedNodes(
  manager: Manager,
  count: number,
  { rule }: SimulatedNodesOptions = {},
): SimulatedContainers {
  const nodes = addNodes(manager, count);
  addScheduler(manager);
  addSimulatedKubelet(manager, nodes, rule);
  return new SimulatedContainers(
    manager,
    nodes.map(({ name }) => name),
  );
}
