import type { Namespace, Secret } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Change, Predicate } from '@pintle/operator';
import { OWNER_ANNOTATION, OWNER_UID_LABEL } from '@pintle/operator';

/** Of a Secret: what it holds, and whose copy it is. Others' labels, annotations and finalizers move nothing. */
export const isContentChanged: Predicate<Secret> = (change) =>
  change.type !== 'updated' || !deepEqual(contentOf(change.object), contentOf(change.previous));

/** Of a Namespace: only that it came. What goes with it went before. */
export function isNew(change: Change<Namespace>): boolean {
  return change.type === 'added' && !change.isInitial;
}

function contentOf({ data, type, metadata }: Secret): unknown {
  return { data, type, uid: metadata.labels?.[OWNER_UID_LABEL], owner: metadata.annotations?.[OWNER_ANNOTATION] };
}
