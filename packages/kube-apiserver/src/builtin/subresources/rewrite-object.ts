import type { Foundation, ServedResource } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import { findObject, writeObject } from '@pintle/apiserver/storage';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';

/** One object and where it is kept. */
interface ObjectTarget {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Lets `change` alter the object in place and writes it, past the rules that hold for clients; begins again when the
 * object moved meanwhile. Gives the object as stored; in a dry run, as it would be. 404 when there is none.
 */
export async function rewriteObject<T extends KubernetesObject>(
  { store }: Pick<Foundation, 'store'>,
  { resource, namespace, name }: ObjectTarget,
  { isDryRun }: { readonly isDryRun: boolean },
  change: (object: T) => void,
  /** Notes in the changed object who owns what. Without it nobody owns what was changed. */
  recordOwners?: (next: T, live: T) => Promise<void>,
): Promise<T> {
  for (;;) {
    const current = await findObject(store, resource, namespace, name);
    if (current === undefined) throw notFoundError(groupResourceOf(resource), name);
    const object = current.object as T;
    const live = recordOwners && deepCopy(object);
    change(object);
    if (live !== undefined) await recordOwners!(object, live);
    if (isDryRun) return object;
    const outcome = await writeObject(store, resource, object, current.record.modRevision);
    if ('refused' in outcome) continue;
    return outcome.object as T;
  }
}
