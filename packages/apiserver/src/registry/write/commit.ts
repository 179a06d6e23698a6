import type { Eventual } from '@pintle/async';
import {
  alreadyExistsError,
  generateNameConflictError,
  StatusError,
  unclassifiedError,
} from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Revision } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { RequestContext } from '../../resource/endpoint.ts';
import { generateName } from '../../resource/object-metadata.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import type { WriteOutcome, WrittenObject } from '../../storage/object-store.ts';
import {
  asStored,
  findObject,
  findRecord,
  isStoredDifferently,
  removeObject,
  writeObject,
} from '../../storage/object-store.ts';
import { CONFLICT } from '../../storage/write-queue.ts';
import { isReleased } from './delete-plan.ts';
import { fenceGuards } from './shard-fence.ts';
import type { NewObject, ObjectChange, ObjectWrite } from './write-state.ts';

/** Attempts to find a generated name that is free. */
const GENERATED_NAME_TRIES = 8;
const MAX_VERSION = 2n ** 64n - 1n;
const ABSENT = 0 as Revision;

/** Stores a new object. Returns `CONFLICT` when the namespace or a claim has changed, or a generated name is taken. */
export async function commitNew(write: NewObject): Promise<WrittenObject | typeof CONFLICT> {
  const { context, next, options } = write;
  if (write.isPosted && !options.isDryRun) refuseVersion(write);
  const outcome = options.isDryRun ? await wouldCreate(write) : await storeWithClaims(write, ABSENT, write.guards);
  if ('object' in outcome) return outcome;
  if (outcome.refused === 'guard') return CONFLICT;
  const name = next.metadata.name ?? '';
  if (!write.isNameGenerated) throw await taken(context, name);
  if (write.attempts >= GENERATED_NAME_TRIES) throw generateNameConflictError(groupResourceOf(context.resource), name);
  next.metadata.name = generateName(next.metadata.generateName!, context.random);
  return CONFLICT;
}

/** Throws when the object has a resourceVersion, from the client or from admission. A malformed one is ignored. */
function refuseVersion({ next: { metadata } }: NewObject): void {
  const digits = /^0*([1-9]\d{0,19})$/.exec(metadata.resourceVersion ?? '')?.[1];
  if (digits === undefined || BigInt(digits) > MAX_VERSION) return;
  throw unclassifiedError(500, 'resourceVersion should not be set on objects to be created');
}

/** Returns the outcome of a create without writing. */
async function wouldCreate({ context, next }: NewObject): Promise<WriteOutcome> {
  const found = await findRecord(context.store, context.resource, context.info.namespace, next.metadata.name ?? '');
  if (found !== undefined) return { refused: 'taken' };
  const { resourceVersion } = next.metadata;
  const object = await asStored(context.resource, next);
  if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
  return { object };
}

async function taken(context: RequestContext, name: string): Promise<StatusError> {
  const error = alreadyExistsError(groupResourceOf(context.resource), name);
  const holder = await findObject(context.store, context.resource, context.info.namespace, name);
  if (holder?.object.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** True when nothing would change, neither for clients nor in the store. */
export function isUnchanged({ stored, next, current }: ObjectChange): Eventual<boolean> {
  if (!deepEqual(next, current.object) || stored.store.isOutdated?.(current.record)) return false;
  return isStoredDifferently(stored.resource, current).then((isOther) => !isOther);
}

/**
 * Stores a changed object, or removes it when nothing holds it any more. Returns `CONFLICT` when the object has changed.
 */
export async function commitChange(write: ObjectChange): Promise<WrittenObject | typeof CONFLICT> {
  const { stored, next, current, options } = write;
  const { resource, store } = stored;
  if (options.isDryRun) {
    const written = await asStored(resource, next);
    const { resourceVersion } = current.object.metadata;
    return { object: { ...written, metadata: { ...written.metadata, resourceVersion: resourceVersion! } } };
  }
  if (!isReleased(resource, next)) {
    write.next = write.context.resource.scaleView?.prune?.(next) ?? next;
    const outcome = await storeWithClaims(write, current.record.modRevision);
    return 'refused' in outcome ? CONFLICT : outcome;
  }
  const fences = await fenceGuards(write.context, next.metadata.name ?? '');
  const also = [...fences, ...write.claims, ...(await stored.admission.reserve(write.admission))];
  const outcome = await removeObject(store, current.record, { also });
  return 'refused' in outcome ? CONFLICT : { object: next };
}

/**
 * Stores the object with its claims. Drops managedFields when they make it too large to store, except for an apply,
 * which needs them.
 */
async function storeWithClaims(write: ObjectWrite, expected: Revision, guards: NewObject['guards'] = []) {
  const { stored, next, claims, desired, admission } = write;
  const fences = await fenceGuards(write.context, next.metadata.name ?? '');
  const also = [...claims, ...(await stored.admission.reserve(admission))];
  const store = (): Promise<WriteOutcome> =>
    writeObject(stored.store, stored.resource, next, expected, { guards: [...fences, ...guards], also });
  try {
    return await store();
  } catch (error) {
    const isTooLarge = error instanceof StoreError && error.failure.code === 'TooLarge';
    if (!isTooLarge || desired.isTracked || next.metadata.managedFields === undefined) throw error;
    delete next.metadata.managedFields;
    return await store();
  }
}
