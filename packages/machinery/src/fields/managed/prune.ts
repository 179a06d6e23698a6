import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { FieldSet } from '../set/field-set.ts';
import { emptySet } from '../set/field-set.ts';
import { fieldSetOf, readFields } from '../typed/field-set-of.ts';
import { removeFields } from '../typed/remove-fields.ts';
import { withNamedFields } from '../typed/schema-changes.ts';
import { asRequested, type FieldSteps, inVersion, type Versioned, type WriteContext } from './context.ts';
import type { Manager, Managers } from './manager.ts';

/**
 * Returns the merged object without the fields that its applier no longer applies: those that it applied the last time
 * and not this time, and that no other manager owns.
 */
export function* pruneAbandoned(
  context: WriteContext,
  merged: JsonObject,
  managers: Managers,
  last: Manager | undefined,
  applied: FieldSet,
): FieldSteps<JsonObject> {
  if (last === undefined) return merged;
  if (isOneVersion(context, managers, last) && last.fields.isSubsetOf(applied)) return merged;
  const whole = yield* inVersion(context, asRequested(context, merged), last.apiVersion, TO_LAST_APPLIED);
  if (whole === undefined) return merged;
  yield;
  const abandoned = withNamedFields(last.fields, whole.schema);
  const owned = ownedByVersion(managers, whole.apiVersion);
  yield;
  const there = readFields(whole.object, whole.schema);
  yield;
  if (there.isComplete && owned.size === 1 && whole.apiVersion === context.apiVersion) {
    const [fields, stays] = [there.fields, owned.get(whole.apiVersion)!].map((set) =>
      withNamedFields(set, whole.schema),
    );
    yield;
    const gone = goneFields(fields!, abandoned, stays!);
    yield;
    return without(whole, gone).object;
  }
  const rest = without(whole, abandoned);
  yield;
  const added = yield* addBackOwned(context, whole, rest, owned);
  const kept = added && (yield* inVersion(context, added, last.apiVersion));
  if (kept === undefined) return merged;
  yield;
  // A field that was removed only together with its parent was not the applier's to remove.
  const gone = namedFieldsOf(whole).difference(namedFieldsOf(kept)).intersection(abandoned);
  yield;
  const pruned = yield* inVersion(context, without(whole, gone), context.apiVersion, FAILED);
  return pruned?.object ?? merged;
}

const FAILED = 'failed to prune fields: ';
const TO_LAST_APPLIED = `${FAILED}failed to convert merged object to last applied version: `;

/** True when nothing has to be converted, which could fail. */
function isOneVersion({ apiVersion }: WriteContext, managers: Managers, last: Manager): boolean {
  if (last.apiVersion !== apiVersion) return false;
  for (const manager of managers.values()) if (manager.apiVersion !== apiVersion) return false;
  return true;
}

/**
 * The same with sets, for objects of one version that need no conversion and in which every value sets a field: removes
 * abandoned fields with their contents, unless they are owned; returns the removed fields that were abandoned
 * themselves.
 */
function goneFields(whole: FieldSet, abandoned: FieldSet, owned: FieldSet): FieldSet {
  const taken = whole.difference(whole.subtractTrees(abandoned).union(owned));
  return whole.intersection(abandoned).difference(whole.subtractTrees(taken));
}

/** Restores all owned fields, including the applier's current ones, version by version. */
function* addBackOwned(
  context: WriteContext,
  whole: Versioned,
  rest: Versioned,
  owned: ReadonlyMap<string, FieldSet>,
): FieldSteps<Versioned | undefined> {
  let kept: Versioned = rest;
  for (const [apiVersion, fields] of owned) {
    const failed = (stage: string) =>
      `${FAILED}failed add back owned items: failed to convert ${stage} object at version ${apiVersion}: `;
    const wholeThere = yield* inVersion(context, whole, apiVersion, failed('merged'));
    const keptThere = wholeThere && (yield* inVersion(context, kept, apiVersion, failed('pruned')));
    if (wholeThere === undefined || keptThere === undefined) continue;
    yield;
    const stays = namedFieldsOf(keptThere).union(withNamedFields(fields, wholeThere.schema));
    yield;
    kept = without(wholeThere, namedFieldsOf(wholeThere).difference(stays));
  }
  return kept;
}

/**
 * Returns all owned fields by version, beginning with the version of the object, because converting a partial object
 * can fail.
 */
function ownedByVersion(managers: Managers, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, emptySet]]);
  for (const { apiVersion, fields } of managers.values()) {
    owned.set(apiVersion, (owned.get(apiVersion) ?? emptySet).union(fields));
  }
  return owned;
}

function namedFieldsOf({ object, schema }: Versioned): FieldSet {
  return withNamedFields(fieldSetOf(object, schema), schema);
}

function without(from: Versioned, fields: FieldSet): Versioned {
  const rest: JsonValue = removeFields(from.object, fields, from.schema);
  return { ...from, object: (rest ?? {}) as JsonObject };
}
