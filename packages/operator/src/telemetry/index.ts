export type {
  CacheReport,
  ControllerReport,
  OperatorReport,
  QueuedReport,
} from './collector.ts';
export { TelemetryCollector } from './collector.ts';
export type { ReadStep, ReconcileTrace, StepTarget, TraceStep, WriteStep } from './trace.ts';
