import { fenceGuards } from '@pintle/apiserver/registry';
import type { RequestContext, ServedResource } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import { findObject, writeObject } from '@pintle/apiserver/storage';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';

interface ObjectTarget {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Changes an object in place by `change` and writes it, without the rules for clients; tries again after a conflict.
 * Returns the object as stored, or as it would be in a dry run. Throws 404 when it does not exist.
 */
export async function rewriteObject<T extends KubernetesObject>(
  context: RequestContext,
  { resource, namespace, name }: ObjectTarget,
  { isDryRun }: { readonly isDryRun: boolean },
  change: (object: T) => void,
  /** Records field ownership in the changed object. Without it, changed fields have no owner. */
  recordOwners?: (next: T, live: T) => Promise<void>,
): Promise<T> {
  const { store } = context;
  for (;;) {
    const current = await findObject(store, resource, namespace, name);
    if (current === undefined) throw notFoundError(groupResourceOf(resource), name);
    const object = current.object as T;
    const live = recordOwners && deepCopy(object);
    change(object);
    if (live !== undefined) await recordOwners!(object, live);
    if (isDryRun) return object;
    const guards = await fenceGuards(context, name);
    const outcome = await writeObject(store, resource, object, current.record.modRevision, { guards });
    if ('refused' in outcome) continue;
    return outcome.object as T;
  }
}
