import { deepEqual, type JsonObject } from '../../json/index.ts';
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { finish, type Steps } from '../../rules/steps.ts';
import { FieldsError } from '../fields-error.ts';
import type { FieldSet } from '../set/field-set.ts';
import { trimItemCache } from '../set/path-element.ts';
import { checkKeyDefaults } from '../typed/check-key-defaults.ts';
import { checkTyped } from '../typed/check-typed.ts';
import { fieldSetLike, fieldSetOf } from '../typed/field-set-of.ts';
import { mergeTyped } from '../typed/merge-typed.ts';
import { conflictsOf, type FieldConflict } from './conflicts.ts';
import { asRequested, type FieldSteps, type WriteContext, withoutResetFields } from './context.ts';
import { conflictsBeyondLastApplied, mayTakeOverLastApplied, withLastApplied } from './last-applied.ts';
import { decodeManagersInSteps, encodeManagersInSteps, type Manager, type Managers, managerId } from './manager.ts';
import { emptyObject, managedFieldsOf, withManagedFields } from './objects.ts';
import { adaptManagers, Change, contestedFields, removeTakenFields, withoutNeverOwned } from './ownership.ts';
import { pruneAbandoned } from './prune.ts';
import { ownersAfterUpdate } from './track-update.ts';

export interface Apply extends WriteContext {
  /** The stored object; absent when the apply creates it. */
  readonly live?: JsonObject | undefined;
  /** The configuration as the client sent it: without defaults and managed fields. */
  readonly applied: JsonObject;
  /** Takes over the fields of other managers instead of failing. */
  readonly force?: boolean | undefined;
}

export type ApplyOutcome =
  | {
      readonly status: 'applied';
      /** The object to read, default and store, without managed fields. Shares parts with the arguments. */
      readonly object: JsonObject;
      /** The entries for `metadata.managedFields`; empty when there are none. */
      readonly managedFields: ManagedFieldsEntry[];
      /** True when a value changed. Owners may have changed in any case. */
      readonly isChanged: boolean;
    }
  | { readonly status: 'conflict'; readonly conflicts: readonly FieldConflict[] };

/**
 * Server-side apply: merges a configuration into an object, removes fields that its manager applied before and no
 * longer does, and computes the owners. Where other managers own a field to which the configuration gives another
 * value, nothing is changed and the conflicts are returned, unless `force` is set.
 *
 * The manager's time moves only if a value changed, not when the manager only came to share a field.
 *
 * Throws `FieldsError` when the configuration does not fit its schema (`NotTyped`), the live object does not
 * (`LiveNotTyped`), the live entries cannot be read, or the identities of items take too many bytes (`TooLarge`).
 */
export function apply(request: Apply): ApplyOutcome {
  return finish(applyInSteps(request));
}

/** As `apply`, with a pause after each pass over the whole object. Waits for conversions. */
export function* applyInSteps(request: Apply): FieldSteps<ApplyOutcome> {
  try {
    return yield* applyOnce(request);
  } finally {
    trimItemCache();
  }
}

function* applyOnce(request: Apply): FieldSteps<ApplyOutcome> {
  const { applied, schema } = request;
  checkKeyDefaults(applied, schema);
  const managers = yield* managersOf(request);
  const live = withManagedFields(request.live ?? { ...emptyObject(schema, applied) }, []);
  if (request.mayViolateSchema && request.live !== undefined) checkLive(request, live, managers.size > 0);
  yield;
  const outcome = yield* applyToFit(request, live, managers);
  if (!mayTakeOverLastApplied(request)) return outcome;
  if (outcome.status === 'applied') return { ...outcome, object: withLastApplied(outcome.object, applied) };
  const conflicts = conflictsBeyondLastApplied(request, live, outcome.conflicts);
  if (conflicts.length > 0) return { status: 'conflict', conflicts };
  const forced = yield* applyTo(request, live, managers, true);
  return forced.status === 'applied' ? { ...forced, object: withLastApplied(forced.object, applied) } : forced;
}

/** Stored objects of built-in kinds nearly always fit their schema: checks that only when merging fails. */
function* applyToFit(request: Apply, live: JsonObject, managers: Managers): FieldSteps<ApplyOutcome> {
  try {
    return yield* applyTo(request, live, managers, request.force === true);
  } catch (error) {
    if (error instanceof FieldsError && request.live !== undefined) checkLive(request, live, managers.size > 0);
    throw error;
  }
}

/** Returns the managers of the live object. Where they cannot be read or have to be converted, checks the configuration first. */
function* managersOf({ live, applied, schema, apiVersion }: Apply): Steps<Managers> {
  try {
    const managers = yield* decodeManagersInSteps(managedFieldsOf(live));
    const isOneVersion = [...managers.values()].every((manager) => manager.apiVersion === apiVersion);
    if (!isOneVersion) checkTyped(applied, schema);
    return managers;
  } catch (error) {
    checkTyped(applied, schema);
    throw error;
  }
}

/** Checks the configuration first where there are owners. */
function checkLive({ applied, schema }: Apply, live: JsonObject, isOwned: boolean): void {
  if (isOwned) checkTyped(applied, schema);
  try {
    checkTyped(live, schema, { allowsDuplicates: true });
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error;
    throw new FieldsError({ code: 'LiveNotTyped', problem: error.message, isOwned }, { cause: error });
  }
}

/** Returns the fields that the configuration sets. Throws when it does not fit its schema. */
function fieldsOf({ applied, schema }: Apply, last: Manager | undefined): FieldSet {
  const fields = fieldSetLike(applied, schema, last?.fields);
  if (fields !== undefined) return fields;
  checkTyped(applied, schema);
  return fieldSetOf(applied, schema);
}

function* applyTo(request: Apply, live: JsonObject, stored: Managers, force: boolean): FieldSteps<ApplyOutcome> {
  const { applied, schema } = request;
  const before = asRequested(request, live);
  const self = applier(request);
  const id = managerId(self);
  const known = stored.size > 0 ? stored : yield* firstManagers(request, live);
  const managers = yield* adaptManagers(request, before, known);
  const last = managers.get(id);
  const fields = withoutResetFields(request, fieldsOf(request, last));
  managers.set(id, { ...self, time: last?.time, fields });
  yield;
  const merged = mergeTyped(live, applied, schema) as JsonObject;
  yield;
  const object = yield* pruneAbandoned(request, merged, managers, last, fields);
  yield;
  const change = new Change(request, before, asRequested(request, object));
  const contested = force ? new Map<string, FieldSet>() : yield* contestedFields(managers, id, change);
  if (contested.size > 0) return { status: 'conflict', conflicts: conflictsOf(contested, managers) };

  yield;
  const isChanged = !deepEqual(live, object);
  yield;
  const owners = yield* removeTakenFields(managers, id, change);
  recordApplier(owners, id, { ...self, time: isChanged ? request.time : last?.time, fields }, last);
  yield;
  const managedFields = yield* encodeManagersInSteps(owners);
  return { status: 'applied', object: isChanged ? object : live, managedFields, isChanged };
}

/** Before the first apply no managers were tracked: existing fields get a manager that stands for all earlier writers. */
function* firstManagers(request: Apply, live: JsonObject): FieldSteps<Managers> {
  if (request.live === undefined) return new Map();
  const context = { ...request, manager: 'before-first-apply' };
  return yield* ownersAfterUpdate(context, emptyObject(request.schema, request.applied), live, new Map());
}

function applier({ manager, apiVersion, subresource = '' }: WriteContext): Omit<Manager, 'fields' | 'time'> {
  return { manager: manager || 'unknown', operation: 'Apply', apiVersion, subresource };
}

/** Records the fields that the applier now owns; keeps the existing entry if it has not changed. */
function recordApplier(owners: Map<string, Manager>, id: string, self: Manager, last: Manager | undefined): void {
  const owned = withoutNeverOwned(self.fields);
  const fields = last === undefined ? owned : owned.reusing(last.fields);
  const isSame = last?.fields === fields && last.apiVersion === self.apiVersion && last.time === self.time;
  if (fields.isEmpty) owners.delete(id);
  else owners.set(id, isSame ? last : { ...self, fields });
}
