import type { EventRecorder, SharedInformers } from '@pintle/client';
import type { Cached, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import { errorFields } from '../controller/error-fields.ts';
import type { RequestScope } from '../controller/reconcile-scope.ts';
import { type Request, type Result, requestKey } from '../controller/request.ts';
import type { AppliedMemory } from './applied-memory.ts';
import type { Follows } from './follows.ts';
import { ReconcileContext } from './reconcile-context.ts';
import type { StatusWriter } from './status-writer.ts';

/** Looks after one object, as it was last heard of. It is shared: look, never write. */
export type Reconcile<T extends KubernetesObject, S extends Scope = Scope> = (
  object: Cached<T, S>,
  context: ReconcileContext<T, S>,
) => Promise<Result | undefined | void>;

/** What the reconciles of one controller have in common. */
export interface ObjectDependencies<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  /** The kinds whose children `prune` looks at. */
  readonly owned: readonly ResourceType[];
  /** The controller will do this with objects of the kind. */
  readonly declare: (type: ResourceType, verbs: readonly string[]) => void;
  readonly informers: SharedInformers;
  readonly memory: AppliedMemory;
  readonly statuses: StatusWriter<T>;
  readonly follows: Follows;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Reconciles the object of a request. One that is gone needs no looking after: it is forgotten. */
export async function reconcileObject<T extends KubernetesObject>(
  dependencies: ObjectDependencies<T>,
  reconcile: Reconcile<T>,
  request: Request,
  scope: RequestScope,
): Promise<Result | undefined | void> {
  const informer = dependencies.informers.find(dependencies.type, request.namespace);
  const object = informer?.isSynced ? informer.cache.get(request) : await scope.client.find(dependencies.type, request);
  if (object === undefined) {
    dependencies.memory.forget(requestKey(request));
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
    await settleFailed(context, scope);
    throw error;
  }
  const settling = context.settle({ isFailed: false });
  if (settling !== undefined) await settling;
  return result;
}

/** What failed is what is told; that the status could not be written comes second. */
async function settleFailed<T extends KubernetesObject>(
  context: ReconcileContext<T>,
  scope: RequestScope,
): Promise<void> {
  try {
    await context.settle({ isFailed: true });
  } catch (error) {
    if (!scope.stop.aborted) scope.log.warn('Failed to write the status', errorFields(error));
  }
}
