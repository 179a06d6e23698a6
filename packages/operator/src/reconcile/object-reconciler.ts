import type { EventRecorder, SharedInformers } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { RequestScope } from '../controller/reconcile-scope.ts';
import type { Request } from '../controller/request.ts';
import { requestKey } from '../controller/request.ts';
import type { Result } from '../controller/result.ts';
import type { AppliedMemory } from './applied-memory.ts';
import type { Follows } from './follows.ts';
import { ReconcileContext } from './reconcile-context.ts';
import type { StatusWriter } from './status-writer.ts';

/** Looks after one object, as it was last heard of. It is shared: look, never write. */
export type Reconcile<T extends KubernetesObject> = (
  object: T,
  context: ReconcileContext<T>,
) => Promise<Result | undefined | void>;

/** What the reconciles of one controller have in common. */
export interface ObjectGround<T extends KubernetesObject> {
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
  ground: ObjectGround<T>,
  reconcile: Reconcile<T>,
  request: Request,
  scope: RequestScope,
): Promise<Result | undefined | void> {
  const object = await scope.client.find(ground.type, request);
  if (object === undefined) {
    ground.memory.forget(requestKey(request));
    ground.follows.keep(request, undefined);
    return undefined;
  }
  const context = new ReconcileContext(scope, ground, object);
  let result: Result | undefined | void;
  try {
    result = await reconcile(object, context);
  } catch (error) {
    await context.settle({ isFailed: true }).catch((unwritten: unknown) => {
      const message = unwritten instanceof Error ? unwritten.message : String(unwritten);
      if (!scope.stop.aborted) scope.log.warn('Failed to write the status', { error: message });
    });
    throw error;
  }
  await context.settle({ isFailed: false });
  return result;
}
