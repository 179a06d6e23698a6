export type { BuiltinControllerOptions } from './builtin-controllers.ts';
export { addBuiltinControllers, BUILTIN_CONTROLLERS } from './builtin-controllers.ts';
export type {
  DescribedObject,
  MetricsSource,
  PodMetric,
  PodMetrics,
} from './horizontal-pod-autoscaler/metrics-source.ts';
export type { ProcessNodesOptions } from './process-nodes/index.ts';
export { addProcessNodes } from './process-nodes/index.ts';
export type { ProcessKubelet } from './process-nodes/process-kubelet.ts';
export type { SimulatedNodesOptions } from './simulated-nodes/index.ts';
export { addSimulatedNodes } from './simulated-nodes/index.ts';
export type { PodBehaviour, PodRule } from './simulated-nodes/pod-behaviour.ts';
export type { SimulatedContainers } from './simulated-nodes/simulated-containers.ts';
export { simulatedMetrics } from './simulated-nodes/simulated-metrics.ts';
