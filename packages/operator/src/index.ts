export type { Family, HistogramCell, NumberCell } from '@pintle/metrics';
export { counter, gauge, histogram } from '@pintle/metrics';
export type {
  AddedSource,
  ControllerDependencies,
  ControllerOptions,
  Log,
  MapContext,
  MapToRequests,
  ReconcileRequest,
  ReconcileScope,
} from './controller/controller.ts';
export { Controller } from './controller/controller.ts';
export type { ExpectationsOptions } from './controller/expectations.ts';
export { Expectations } from './controller/expectations.ts';
export type { ExternalSource } from './controller/external-source.ts';
export type { WatchOptions } from './controller/kind-source.ts';
export type { FinishedReconcile, ReconcileObserver, ReconcileOutcome } from './controller/observer.ts';
export type { Change, Predicate } from './controller/predicate.ts';
export {
  and,
  annotationsChanged,
  generationChanged,
  inNamespaces,
  labelsChanged,
  matchesLabels,
  not,
  or,
  resourceVersionChanged,
} from './controller/predicate.ts';
export type { Reason } from './controller/reason.ts';
export type { NamespacedRequest, Request, RequestOf, Result, UseRequeueAfterMs } from './controller/request.ts';
export { requestKey, requestOf, TerminalError } from './controller/request.ts';
export type { OpenSource, Source, SourceSink } from './controller/source.ts';
export type { OwnsArgument, WatchesArgument } from './controller-builder.ts';
export { ControllerBuilder } from './controller-builder.ts';
export type { OperatorFailure } from './errors.ts';
export { OperatorError } from './errors.ts';
export type { Check } from './health/health-checks.ts';
export type { Address } from './health/http-endpoints.ts';
export type { Cluster } from './manager/cluster.ts';
export type { LeaderElectionOptions } from './manager/leader-election.ts';
export type { ManagerOptions } from './manager/manager.ts';
export { Manager } from './manager/manager.ts';
export type { LogLevel } from './manager/program.ts';
export { jsonLog } from './manager/program.ts';
export type { ManagedRunnable } from './manager/runnable-group.ts';
export type { ManagerMetrics } from './metrics/manager-metrics.ts';
export type { WebhookMeter } from './metrics/webhook-meter.ts';
export type { DeclareOptions, ManagerAccess, ManagerIdentity } from './permissions/permissions.ts';
export type { ResourceAccess } from './permissions/request-access.ts';
export { accessOf } from './permissions/request-access.ts';
export type { Reconcile } from './reconcile/object-reconciler.ts';
export type { OwnerReferenceMode } from './reconcile/ownership.ts';
export { OWNER_ANNOTATION, OWNER_UID_LABEL } from './reconcile/ownership.ts';
export type { ChildOptions, ReconcileContext } from './reconcile/reconcile-context.ts';
export type { ConditionUpdate, StatusEdit, StatusOf, StatusPatch } from './reconcile/status-draft.ts';
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
export { defineResource, pluralOf } from './resource/define-resource.ts';
export { isConversionPlaceholder } from './resource/definition.ts';
export type { ResourceDescriptions, SchemaDescriptions } from './resource/descriptions.ts';
export { withDescriptions, withoutDescriptions } from './resource/descriptions.ts';
export { readDescriptions } from './resource/descriptions-file.ts';
export type { DefinitionProblem, ResourceFailure } from './resource/errors.ts';
export { ResourceError } from './resource/errors.ts';
export type { InstallOptions } from './resource/install-resources.ts';
export { installResources } from './resource/install-resources.ts';
export type { ColumnOptions, ResourceOptions, ScaleOptions, VersionOptions } from './resource/options.ts';
export { removeConversionWebhook } from './resource/remove-conversion-webhook.ts';
export type { ResourceSchema } from './resource/resource-schema.ts';
export { EXACT_KEYWORDS } from './resource/resource-schema.ts';
export type { Rule } from './resource/schema-helpers.ts';
export {
  atomic,
  embeddedResource,
  exactly,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  quantity,
  rule,
} from './resource/schema-helpers.ts';
export type { Shards } from './sharding/shards.ts';
export type { WebhookAddress } from './webhook/address.ts';
export type {
  AdmissionHandler,
  AdmissionRequest,
  AdmissionResponse,
  AdmissionScope,
  Operation,
} from './webhook/admission.ts';
export type { CertificateFiles } from './webhook/file-certificate.ts';
export type { HookOptions, RawHookOptions } from './webhook/hook.ts';
export { registerWebhooks } from './webhook/register-webhooks.ts';
export type { DefaultHandler, Unvalidated, ValidateHandlers, ValidationResult } from './webhook/typed-handlers.ts';
export type { WebhookServerDependencies, WebhookServerOptions } from './webhook/webhook-server.ts';
export { WebhookServer } from './webhook/webhook-server.ts';
export type { WebhookConfigurations, WebhooksOptions } from './webhook/webhooks.ts';
export { ResourceHooks, Webhooks } from './webhook/webhooks.ts';
