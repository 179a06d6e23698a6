import type { Manager } from '@pintle/operator';
import { addScheduler } from '../scheduler/scheduler.ts';
import type { PodRule } from './pod-behaviour.ts';
import { addSimulatedKubelet } from './simulated-kubelet.ts';
import { addNodes } from './simulated-node.ts';

export interface SimulatedNodesOptions {
  /** How pods behave, whatever their annotations say. */
  readonly rule?: PodRule;
}

/** Adds nodes without machines, and a scheduler that puts pods on them. */
export function addSimulatedNodes(manager: Manager, count: number, { rule }: SimulatedNodesOptions = {}): void {
  const nodes = addNodes(manager, count);
  addScheduler(manager);
  addSimulatedKubelet(manager, nodes, rule);
}
