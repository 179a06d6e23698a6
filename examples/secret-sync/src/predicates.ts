import type { Namespace, Secret } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Change, Predicate } from '@pintle/operator';
import { OWNER_ANNOTATION, OWNER_UID_LABEL } from '@pintle/operator';

/** True when the data or the owner of a Secret changes. Other labels, annotations and finalizers do not count. */
export const isContentChanged: Predicate<Secret> = (change) =>
  change.type !== 'updated' || !deepEqual(contentOf(change.object), contentOf(change.previous));

/** True for a new Namespace. A deleted one needs no reconcile: its copies are gone already. */
export function isNew(change: Change<Namespace>): boolean {
  return change.type === 'added' && !change.isInitial;
}

function contentOf({ data, type, metadata }: Secret): unknown {
  return { data, type, uid: metadata.labels?.[OWNER_UID_LABEL], owner: metadata.annotations?.[OWNER_ANNOTATION] };
}
