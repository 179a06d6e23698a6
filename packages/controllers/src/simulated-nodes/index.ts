import type { Manager } from '@pintle/operator';
import { addScheduler } from '../scheduler/scheduler.ts';
import type { PodRule } from './pod-behaviour.ts';
import { SimulatedContainers } from './simulated-containers.ts';
import { addSimulatedKubelet } from './simulated-kubelet.ts';
import { addNodes } from './simulated-node.ts';

export interface SimulatedNodesOptions {
  /** Behaviour of pods, which overrides their annotations. */
  readonly rule?: PodRule;
}

/** Adds simulated nodes and a scheduler for them. Returns access to their containers. */
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
