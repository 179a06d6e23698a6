import type { EventRecorder, SharedInformers } from '@pintle/client';
import type { Cached, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import { errorFields } from '../controller/error-fields.ts';
import type { RequestScope } from '../controller/reconcile-scope.ts';
import { type Request, type Result, requestKey } from '../controller/request.ts';
import { currentRecording } from '../telemetry/recording.ts';
import type { ApplyCache } from './apply-cache.ts';
import type { FollowedObjects } from './followed-objects.ts';
import { ReconcileContext } from './reconcile-context.ts';
import type { StatusWriter } from './status-writer.ts';

/** Reconciles one object, as cached. The object is shared: do not change it. */
export type Reconcile<T extends KubernetesObject, S extends Scope = Scope> = (
  object: Cached<T, S>,
  context: ReconcileContext<T, S>,
) => Promise<Result | undefined | void>;

/** Dependencies that the reconciles of one controller share. */
export interface ObjectDependencies<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  /** Kinds whose children `prune` deletes. */
  readonly owned: readonly ResourceType[];
  /** Declares verbs that the controller uses on a kind, for RBAC. */
  readonly declare: (type: ResourceType, verbs: readonly string[]) => void;
  readonly informers: SharedInformers;
  readonly applyCache: ApplyCache;
  readonly statuses: StatusWriter<T>;
  readonly follows: FollowedObjects;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Reconciles the object of a request. Forgets an object that is gone, without reconciling it. */
export async function reconcileObject<T extends KubernetesObject>(
  dependencies: ObjectDependencies<T>,
  reconcile: Reconcile<T>,
  request: Request,
  scope: RequestScope,
): Promise<Result | undefined | void> {
  const informer = dependencies.informers.find(dependencies.type, request.namespace);
  const object = informer?.isSynced ? informer.cache.get(request) : await scope.client.find(dependencies.type, request);
  if (informer?.isSynced) {
    const found = object === undefined ? 0 : 1;
    currentRecording()?.readFromCache(dependencies.type, request, informer.resourceVersion, found);
  }
  if (object === undefined) {
    dependencies.applyCache.forget(requestKey(request));
    dependencies.follows.keep(request, undefined);
    return undefined;
  }
  const context = new ReconcileContext<T>(scope, dependencies, object as unknown as Stored<T>);
  let result: Result | undefined | void;
  try {
    result = await reconcile(object, context);
    const unawaited = context.checkAwaited();
    if (unawaited !== undefined) await unawaited;
  } catch (error) {
    await completeFailed(context, scope);
    throw error;
  }
  const completing = context.finish({ isFailed: false });
  if (completing !== undefined) await completing;
  return result;
}

/** Writes the status after a failure. Logs its own errors, because the caller throws the first one. */
async function completeFailed<T extends KubernetesObject>(
  context: ReconcileContext<T>,
  scope: RequestScope,
): Promise<void> {
  try {
    await context.finish({ isFailed: true });
  } catch (error) {
    if (!scope.stop.aborted) scope.log.warn('Cannot write the status', errorFields(error));
  }
}
