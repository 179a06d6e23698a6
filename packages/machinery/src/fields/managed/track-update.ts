import type { JsonObject } from '../../json/index.ts';
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { finish, type Steps } from '../../rules/steps.ts';
import { FieldsError } from '../fields-error.ts';
import type { FieldSet } from '../set/field-set.ts';
import { trimItemCache } from '../set/path-element.ts';
import { checkTyped } from '../typed/check-typed.ts';
import { type Comparison, compareTyped } from '../typed/compare-typed.ts';
import { capUpdateManagers } from './cap-managers.ts';
import { asRequested, type FieldSteps, type WriteContext, withoutResetFields } from './context.ts';
import {
  decodeManagersInSteps,
  encodeManager,
  encodeManagersInSteps,
  type Manager,
  type Managers,
  managerId,
} from './manager.ts';
import { emptyObject, managedFieldsOf, metadataOf, withManagedFields } from './objects.ts';
import { adaptManagers, Change, removeTakenFields, withoutNeverOwned } from './ownership.ts';

export interface Update {
  /** The stored object; absent on creation. */
  readonly live?: JsonObject | undefined;
  /** The object that the client wants, read and defaulted, before the server changes anything. */
  readonly next: JsonObject;
  /** The entries that the client sent, where reading `next` may have made an empty list absent. */
  readonly sentManagedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/**
 * Computes the owners after a create, an update or a patch that is no apply: returns the entries for
 * `metadata.managedFields`, which may be empty. The writer becomes the only owner of the fields that it changed. Its
 * time moves only if it changed something.
 *
 * Entries in the client's object count, so that clients can edit them: `[]` and `[{}]` clear them. Where it has none,
 * or invalid ones, or is written through a subresource, those of `live` count. An existing object without entries stays
 * without until it is applied to. Where the object does not fit the version of the request, or another version in which
 * fields are owned, all entries are dropped.
 */
export function trackUpdate(context: WriteContext, update: Update): ManagedFieldsEntry[] {
  return finish(trackUpdateInSteps(context, update));
}

/** As `trackUpdate`, with a pause after each pass over the whole object. Waits for conversions. */
export function* trackUpdateInSteps(context: WriteContext, update: Update): FieldSteps<ManagedFieldsEntry[]> {
  try {
    return yield* ownersOf(context, update);
  } catch (error) {
    if (error instanceof FieldsError) return [];
    throw error;
  } finally {
    trimItemCache();
  }
}

function* ownersOf(context: WriteContext, update: Update): FieldSteps<ManagedFieldsEntry[]> {
  const { live, next } = update;
  const managers = yield* managersToUpdate(context, update);
  const isTracked = managers.size > 0 || live === undefined || !metadataOf(live).uid;
  if (!isTracked) return [];
  for (const object of context.mayViolateSchema ? [next, live] : []) {
    checkFits(context, object);
    yield;
  }
  const before = withManagedFields(live ?? emptyObject(context.schema, next), []);
  const after = withManagedFields(next, []);
  if (managers.size > 0) {
    return yield* encodeManagersInSteps(yield* ownersAfterUpdate(context, before, after, managers));
  }
  const first = firstOwner(context, before, after);
  yield;
  return first === undefined ? [] : [encodeManager(first)];
}

function checkFits({ schema }: WriteContext, object: JsonObject | undefined): void {
  if (object !== undefined) checkTyped(withManagedFields(object, []), schema, { allowsDuplicates: true });
}

/** Returns the managers after a write of this context's manager. Neither object has managed fields. */
export function* ownersAfterUpdate(
  context: WriteContext,
  live: JsonObject,
  next: JsonObject,
  managers: Managers,
): FieldSteps<Managers> {
  const from = asRequested(context, live);
  const change = new Change(context, from, asRequested(context, next));
  const owners = yield* removeTakenFields(yield* adaptManagers(context, from, managers), undefined, change);
  const comparison = (yield* change.in(context.apiVersion))!;
  yield;
  const changed = ownedOf(context, comparison);
  yield;
  if (!changed.isEmpty) {
    const self = updater(context, changed);
    const id = managerId(self);
    const before = owners.get(id);
    owners.set(id, before === undefined ? self : updater(context, before.fields.union(changed)));
  }
  return capUpdateManagers(owners);
}

/** Returns the first manager of an object without any; `undefined` when the write changes no field that can be owned. */
function firstOwner(context: WriteContext, live: JsonObject, next: JsonObject): Manager | undefined {
  const fields = ownedOf(context, compareTyped(live, next, context.schema));
  return fields.isEmpty ? undefined : updater(context, fields);
}

/** Returns the fields that the writer of these changes owns. */
function ownedOf(context: WriteContext, { added, modified }: Comparison): FieldSet {
  return withoutNeverOwned(withoutResetFields(context, modified.union(added)));
}

function updater({ manager, apiVersion, subresource = '', time }: WriteContext, fields: FieldSet): Manager {
  return { manager: manager || 'unknown', operation: 'Update', apiVersion, subresource, time, fields };
}

function* managersToUpdate({ subresource }: WriteContext, { live, next, sentManagedFields }: Update): Steps<Managers> {
  const sent = sentManagedFields ?? managedFieldsOf(next);
  if (!subresource && sent !== undefined) {
    if (isReset(sent)) return none;
    const managers = yield* readable(sent);
    if (managers.size > 0) return managers;
  }
  return yield* readable(managedFieldsOf(live));
}

const none: Managers = new Map();

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  return (
    entries.length === 0 || (entries.length === 1 && Object.values(entries[0]!).every((value) => value === undefined))
  );
}

function* readable(entries: readonly ManagedFieldsEntry[] | undefined): Steps<Managers> {
  try {
    return yield* decodeManagersInSteps(entries);
  } catch (error) {
    if (error instanceof FieldsError) return none;
    throw error;
  }
}
