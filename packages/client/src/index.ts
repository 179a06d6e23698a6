export type { ChooseOptions, ClientConfig } from './config/client-config.ts';
export { chooseContext } from './config/client-config.ts';
export type { ConfigTransportOptions } from './config/config-transport.ts';
export { ConfigTransport } from './config/config-transport.ts';
export type { ConnectOptions } from './config/connect.ts';
export { connect } from './config/connect.ts';
export { inClusterConfig } from './config/in-cluster.ts';
export type {
  ExecConfig,
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
  PemSource,
} from './config/kubeconfig.ts';
export { mergeKubeconfigs, parseKubeconfig } from './config/kubeconfig.ts';
export type { LoadOptions } from './config/load-config.ts';
export { loadConfig, loadKubeconfig } from './config/load-config.ts';
export type { ProgramSettings } from './config/program-settings.ts';
export { loadProgramSettings, webhookUrl } from './config/program-settings.ts';
export type { DiscoveredResource, Discovery } from './discovery/discover.ts';
export { discover } from './discovery/discover.ts';
export type { RestMapperOptions } from './discovery/rest-mapper.ts';
export { RestMapper } from './discovery/rest-mapper.ts';
export type { ClientFailure } from './errors.ts';
export { ClientError } from './errors.ts';
export type { EventRecorderOptions, NewEvent } from './events/event-recorder.ts';
export { EventRecorder } from './events/event-recorder.ts';
export type { NewSeriesEvent, SeriesRecorderOptions } from './events/series-recorder.ts';
export { SeriesRecorder } from './events/series-recorder.ts';
export { CachedClient } from './informer/cached-client.ts';
export type { InformerHandler, InformerOptions } from './informer/informer.ts';
export { Informer } from './informer/informer.ts';
export type { CacheListOptions, CacheMemory, CacheReader } from './informer/object-cache.ts';
export type { IndexFunction, IndexSelection } from './informer/object-index.ts';
export { defineIndex, ObjectIndex } from './informer/object-index.ts';
export type { ReflectorOptions, ReflectorSink } from './informer/reflector.ts';
export { Reflector } from './informer/reflector.ts';
export { compareResourceVersions } from './informer/resource-version.ts';
export type { SlotSource } from './informer/shard-view.ts';
export { ShardView } from './informer/shard-view.ts';
export type { SharedInformer, SharedInformersOptions, ShareOptions } from './informer/shared-informers.ts';
export { SharedInformers } from './informer/shared-informers.ts';
export type { LeaderElectorOptions, Leadership } from './leader/leader-elector.ts';
export { LeaderElector } from './leader/leader-elector.ts';
export type { NewCondition } from './objects/conditions.ts';
export { findCondition, hasCondition, isConditionTrue, setCondition } from './objects/conditions.ts';
export { addFinalizer, hasFinalizer, removeFinalizer } from './objects/finalizers.ts';
export { controllerOf, ownerReference, setControllerReference } from './objects/owner-references.ts';
export type { RateLimiter } from './queue/rate-limiter.ts';
export { BucketLimiter, ExponentialLimiter, SlowestLimiter } from './queue/rate-limiter.ts';
export type {
  AddOptions,
  QueuedItem,
  QueueObserver,
  QueueStats,
  WorkItem,
  WorkQueueOptions,
} from './queue/work-queue.ts';
export { WorkQueue } from './queue/work-queue.ts';
export type { ClientOptions, Configuration, NewObject } from './rest/client.ts';
export { Client } from './rest/client.ts';
export { LazyObject } from './rest/lazy-object.ts';
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  MergePatch,
  Patch,
  SelectOptions,
  StrategicPatch,
  WatchOptions,
  WriteOptions,
} from './rest/options.ts';
export { genericMergePatch } from './rest/options.ts';
export { FIRST_PAGE_SIZE, pageSizeAfter } from './rest/page-size.ts';
export type { NamespacedRef, ObjectRef, RefOf } from './rest/resource-path.ts';
export { resourcePath } from './rest/resource-path.ts';
export { bind, createToken, evict, getScale, setScale } from './rest/subresources.ts';
export type { Bookmark, ChangeType, LazyEvent, WatchEvent } from './rest/watch-stream.ts';
export type { AttachOptions, ExecOptions, Output } from './streams/exec.ts';
export { attach, ExecSession, exec } from './streams/exec.ts';
export type { LogOptions } from './streams/logs.ts';
export { logLines, logs } from './streams/logs.ts';
export { portForward } from './streams/port-forward.ts';
export type { TlsOptions } from './transport/dial.ts';
export type { HttpTransportOptions } from './transport/http-transport.ts';
export { HttpTransport } from './transport/http-transport.ts';
export type { MessageSocket, SocketRequest } from './transport/message-socket.ts';
export type { RateLimitOptions } from './transport/rate-limit.ts';
export { rateLimit } from './transport/rate-limit.ts';
export type { RetryOptions } from './transport/retry.ts';
export { retry } from './transport/retry.ts';
export type {
  Interceptor,
  Transport,
  TransportEndpoint,
  TransportRequest,
  TransportResponse,
} from './transport/transport.ts';
export { intercept, readAll } from './transport/transport.ts';
export type { RetryOnConflictOptions } from './wait/retry-on-conflict.ts';
export { retryOnConflict } from './wait/retry-on-conflict.ts';
export type { WaitOptions } from './wait/wait-for.ts';
export { untilDeleted, waitFor } from './wait/wait-for.ts';
