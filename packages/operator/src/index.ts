export type {
  ControllerGround,
  ControllerOptions,
  Log,
  MapToRequests,
  ReconcileRequest,
  ReconcileScope,
} from './controller/controller.ts';
export { Controller } from './controller/controller.ts';
export type { Reconcile } from './controller/controller-builder.ts';
export { ControllerBuilder } from './controller/controller-builder.ts';
export type { Outcome, ReconcileEnd, ReconcileObserver } from './controller/observer.ts';
export type { Change, Predicate } from './controller/predicate.ts';
export {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  resourceVersionChanged,
} from './controller/predicate.ts';
export type { Request } from './controller/request.ts';
export { requestKey, requestOf } from './controller/request.ts';
export type { Result } from './controller/result.ts';
export { TerminalError } from './controller/result.ts';
export type { OperatorFailure } from './errors.ts';
export { OperatorError } from './errors.ts';
export type { Check } from './health/health-checks.ts';
export type { Address } from './health/http-endpoints.ts';
export type { Cluster } from './manager/cluster.ts';
export type { LeaderElectionOptions } from './manager/leader-election.ts';
export type { ManagerOptions } from './manager/manager.ts';
export { Manager } from './manager/manager.ts';
export { jsonLog } from './manager/program.ts';
export type { ManagedRunnable } from './manager/runnable-group.ts';
export type { ManagerMetrics } from './metrics/manager-metrics.ts';
export type { WebhookMeter } from './metrics/webhook-meter.ts';
export type { Condition } from './resource/conditions.ts';
export { conditions } from './resource/conditions.ts';
export type { Converted, Spoke } from './resource/conversion.ts';
export { Conversion } from './resource/conversion.ts';
export type {
  DefinedResource,
  InputObjectOf,
  ManyVersions,
  ObjectOf,
  OneVersion,
  VersionedResource,
} from './resource/define-resource.ts';
export { defineResource } from './resource/define-resource.ts';
export type { DefinitionProblem, ResourceFailure } from './resource/errors.ts';
export { ResourceError } from './resource/errors.ts';
export type { InstallOptions } from './resource/install-resources.ts';
export { installResources } from './resource/install-resources.ts';
export type { ColumnOptions, ResourceOptions, ScaleOptions, VersionOptions } from './resource/options.ts';
export type { ResourceSchema } from './resource/resource-schema.ts';
export type { Rule } from './resource/schema-helpers.ts';
export {
  atomic,
  embeddedResource,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  quantity,
  rule,
} from './resource/schema-helpers.ts';
