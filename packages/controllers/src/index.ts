export type { BuiltinControllerOptions } from './builtin-controllers.ts';
export { addBuiltinControllers, BUILTIN_CONTROLLERS } from './builtin-controllers.ts';
export type {
  DescribedObject,
  MetricsSource,
  PodMetric,
  PodMetrics,
} from './horizontal-pod-autoscaler/metrics-source.ts';
export type { SimulatedNodesOptions } from './simulated-nodes/index.ts';
export { addSimulatedNodes } from './simulated-nodes/index.ts';
export type { PodBehaviour, PodRule } from './simulated-nodes/pod-behaviour.ts';
