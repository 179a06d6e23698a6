import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { isAlreadyExists, notFoundError } from '@pintle/machinery/errors';
import { change as changing, creation } from '../../resource/admission-request.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import type { ScaleView } from '../../resource/served-resource.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { refuseUnwanted } from '../../resource/yield-policy.ts';
import type { WrittenObject } from '../../storage/object-store.ts';
import { findRecord, toVersion } from '../../storage/object-store.ts';
import { CONFLICT, writeInOrder } from '../../storage/write-queue.ts';
import { admit, authorizeCreation, guardCreation, mutate } from './admit.ts';
import { commitChange, commitNew, isUnchanged } from './commit.ts';
import { keepIdleTimes, projectOwned, recordDesiredOwners } from './ownership.ts';
import {
  applyDefaults,
  claim,
  countGeneration,
  mergeIntoStored,
  prepareChange,
  prepareNew,
  refuseStaleVersion,
  stripEmptyLists,
} from './prepare.ts';
import { refuseInvalid, validateChange, validateNew, warn } from './validate.ts';
import type { Change, DesiredObject, NewObject, ObjectChange, ObjectWrite } from './write-state.ts';

/**
 * Steps of a write, in order:
 *
 *     body ─► desired object     read-body; replacement, patch-change or apply-change: again for each attempt
 *       ┌────────┘
 *       ├► default               prepare      the kind's defaults
 *       ├► owners                ownership    managedFields
 *       ├► guard                 admit        the namespace of a new object exists and is not terminating
 *       ├► mutate                admit        plugins, policies and webhooks may change the object
 *       ├► prepare               prepare      fields that only the server sets
 *       ├► claim                 prepare      addresses and ports, written in the same transaction
 *       ├► validate              validate     the kind's rules, related objects and metadata; then warnings
 *       ├► admit                 admit        plugins, policies and webhooks may refuse it
 *       └► commit                commit       encode, compare and swap ─► { object, record }
 *
 * Each step reads all of the object at most once. `runSteps` yields to other requests between two steps when the object is
 * large; no step does that itself. After a conflict, a change begins again with the object as it is now, and a creation
 * with the namespace and the claims.
 */
const CREATE: readonly Step<NewObject>[] = [
  applyDefaults,
  recordDesiredOwners,
  guardCreation,
  mutate,
  prepareNew,
  claim,
  validateNew,
  refuseInvalid,
  warn,
  authorizeCreation,
  admit,
  stripEmptyLists,
];

const CREATE_AGAIN: readonly Step<NewObject>[] = [guardCreation, claim, stripEmptyLists];

const CHANGE: readonly Step<ObjectChange>[] = [
  applyDefaults,
  recordDesiredOwners,
  mutate,
  mergeIntoStored,
  refuseStaleVersion,
  prepareChange,
  claim,
  countGeneration,
  keepIdleTimes,
  validateChange,
  refuseInvalid,
  warn,
  stripEmptyLists,
  admit,
];

type Step<W extends ObjectWrite> = (write: W) => Eventual<void>;

async function runSteps<W extends ObjectWrite>(steps: readonly Step<W>[], write: W): Promise<void> {
  const { yielding } = write.context;
  for (const step of steps) {
    const done = yielding.inOwnTurn(() => step(write));
    if (done instanceof Promise) await done;
  }
}

/** Creates an object and returns it as stored. Changes `desired.object` in place. */
export async function createObject(
  context: RequestContext,
  options: WriteOptions,
  desired: DesiredObject,
  { isPosted = false }: { readonly isPosted?: boolean } = {},
): Promise<WrittenObject> {
  const write: NewObject = {
    context,
    stored: context,
    options,
    desired,
    current: undefined,
    admission: creation(context, desired.object, options),
    next: desired.object,
    claims: [],
    isPosted,
    guards: [],
    isNameGenerated: false,
    attempts: 0,
    findings: [],
  };
  await runSteps(CREATE, write);
  // Creations in a namespace share its quotas, which each of them updates.
  return await writeInOrder(orderOf(context), `creations in ${context.info.namespace}`, async () => {
    if (write.attempts > 0) await runSteps(CREATE_AGAIN, write);
    write.attempts++;
    return await context.yielding.inOwnTurn(() => commitNew(write));
  });
}

/** Attempts to change an object that is created and deleted meanwhile. */
const MAX_TRIES = 8;

/** Changes an existing object, or creates it when the change allows that. Throws 404 otherwise. */
export async function changeObject(
  context: RequestContext,
  options: WriteOptions,
  change: Change,
): Promise<WrittenObject & { readonly isNew?: boolean }> {
  const { storage } = context.resource.scaleView?.parent ?? context.resource;
  const key = [storage.group, storage.resource, context.info.namespace, context.info.name].join('/');
  for (let tries = MAX_TRIES; ; tries--) {
    const written = await writeInOrder(orderOf(context), key, () => tryChange(context, options, change));
    if (written !== undefined) return written;
    const desired = await change.desiredNew?.();
    if (desired === undefined) throw notFoundError(groupResourceOf(context.resource), context.info.name);
    try {
      return { ...(await createObject(context, options, desired)), isNew: true };
    } catch (error) {
      if (!change.followsCreation || !isAlreadyExists(error) || tries === 0) throw error;
    }
  }
}

function orderOf({ store, clock, request }: RequestContext): Parameters<typeof writeInOrder>[0] {
  return { store, clock, checkWanted: () => refuseUnwanted(request) };
}

/** Returns `undefined` when there is no object to change. */
async function tryChange(
  context: RequestContext,
  options: WriteOptions,
  change: Change,
): Promise<WrittenObject | undefined | typeof CONFLICT> {
  const { store, info, yielding } = context;
  const { scaleView } = context.resource;
  const stored = scaleView === undefined ? context : { ...context, resource: scaleView.parent };
  const record = await findRecord(store, stored.resource, info.namespace, info.name);
  if (record === undefined) return undefined;
  yielding.weigh(record.value.length);
  const current = await yielding.inOwnTurn(() => toVersion(stored.resource, record, { isFresh: options.isDryRun }));
  const before = scaleView === undefined ? current.object : projectOwned(scaleView, current.object);
  const start = scaleView?.markUnset === undefined ? before : markedUnset(scaleView, current.object);
  const desired = await yielding.inOwnTurn(() => change.desired(start));
  const write: ObjectChange = {
    context,
    stored,
    options,
    desired,
    current,
    admission: changing(context, desired.object, before, options),
    next: desired.object,
    claims: [],
    findings: [],
  };
  await runSteps(CHANGE, write);
  const isSame = await yielding.inOwnTurn(() => isUnchanged(write));
  const outcome = isSame ? current : await yielding.inOwnTurn(() => commitChange(write));
  if (outcome === CONFLICT) return CONFLICT;
  return scaleView === undefined ? outcome : { object: scaleView.project(outcome.object) };
}

/** Returns the object that a patch starts from, in which a view may mark unset fields. */
function markedUnset(scaleView: ScaleView, object: KubernetesObject): KubernetesObject {
  const view = projectOwned(scaleView, object);
  scaleView.markUnset?.(view, object);
  return view;
}
