import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/index.ts';
import type { Schema } from '../schema/index.ts';
import { PatchError } from './patch-error.ts';
import {
  cannotMerge,
  DELETE_FROM_LIST,
  DIRECTIVE,
  RETAIN_KEYS,
  receivedType,
  SET_ORDER,
  unknownDirective,
  withoutDirectives,
} from './strategic-directives.ts';
import { mergeLists, orderByDirective } from './strategic-lists.ts';
import { patchField } from './strategic-schema.ts';

/**
 * Applies a strategic merge patch to an object of a built-in kind: objects are merged name by name and `null` removes,
 * as in a merge patch; lists are merged item by item where the schema specifies it. Directives change that:
 *
 * - `$patch: replace | delete` in an object, or in an item of a merged list;
 * - `$deleteFromPrimitiveList/NAME` takes scalars out of a list;
 * - `$setElementOrder/NAME` gives the order of a list's items;
 * - `$retainKeys` names the only fields of an object that stay.
 *
 * Neither document nor patch is changed; the result shares parts with both. Throws `PatchError`.
 */
export function applyStrategicPatch(document: JsonValue, patch: JsonValue, schema: Schema | undefined): JsonValue {
  if (!isJsonObject(patch)) {
    const shape = Array.isArray(patch) ? 'array' : patch === null ? 'null' : typeof patch;
    const problem = `json: cannot unmarshal ${shape} into Go value of type map[string]interface {}`;
    throw new PatchError({ code: 'Malformed', problem });
  }
  return mergeObjects(isJsonObject(document) ? document : {}, patch, schema);
}

function mergeObjects(document: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return applyDirective(patch);
  const merged = retainKeys(document, patch);
  const ordered = mergeOrderedLists(merged, patch, schema);
  for (const name of Object.keys(patch)) {
    if (name === RETAIN_KEYS || name.startsWith(SET_ORDER) || ordered.has(name)) continue;
    if (name.startsWith(DELETE_FROM_LIST)) deleteFromList(merged, name, patch[name]!, schema);
    else mergeField(merged, name, patch[name]!, schema);
  }
  return merged;
}

/** Applies `$patch` of an object. */
function applyDirective(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownDirective(directive, patch);
}

/** Copies the document without the fields that `$retainKeys` leaves out. */
function retainKeys(document: JsonObject, patch: JsonObject): JsonObject {
  const retained = Object.hasOwn(patch, RETAIN_KEYS) ? patch[RETAIN_KEYS] : undefined;
  if (retained === undefined) return { ...document };
  const problem = 'invalid patch format of retainKeys';
  if (!Array.isArray(retained)) throw new PatchError({ code: 'BadDirective', problem });
  const names = new Set(retained);
  for (const name of Object.keys(patch)) {
    const isDirective = name === RETAIN_KEYS || name.startsWith(DELETE_FROM_LIST) || name.startsWith(SET_ORDER);
    if (isDirective || patch[name] === null || names.has(name)) continue;
    throw new PatchError({ code: 'BadDirective', problem });
  }
  const kept: JsonObject = {};
  for (const name of Object.keys(document)) if (names.has(name)) setOwn(kept, name, document[name]!);
  return kept;
}

/** Merges the lists whose order the patch specifies; returns the names of the fields merged. */
function mergeOrderedLists(merged: JsonObject, patch: JsonObject, schema: Schema | undefined): ReadonlySet<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(SET_ORDER)) continue;
    const order = asList(patch[directive]);
    const name = fieldOfDirective(directive, SET_ORDER, 'invalid patch format of setElementOrder list');
    const live = Object.hasOwn(merged, name) ? asList(merged[name]) : undefined;
    const change = Object.hasOwn(patch, name) ? asList(patch[name]) : undefined;
    const list = orderByDirective({ live, change, order, field: patchField(schema, name), mergeItem: mergeObjects });
    if (list === undefined) continue;
    setOwn(merged, name, list);
    done.add(name);
  }
  return done;
}

function asList(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw cannotMerge(`expected a []interface {}, but received a ${receivedType(value)}`);
}

function fieldOfDirective(directive: string, prefix: string, problem: string): string {
  if (directive[prefix.length] !== '/') throw new PatchError({ code: 'BadDirective', problem });
  return directive.slice(prefix.length + 1);
}

function deleteFromList(merged: JsonObject, directive: string, change: JsonValue, schema: Schema | undefined): void {
  const name = fieldOfDirective(directive, DELETE_FROM_LIST, 'invalid patch format of primitive list');
  const live = Object.hasOwn(merged, name) ? merged[name] : undefined;
  if (change === null) delete merged[name];
  else if (Array.isArray(live) && Array.isArray(change)) {
    setOwn(
      merged,
      name,
      mergeLists(live, change, patchField(schema, name), { deletes: true, mergeItem: mergeObjects }),
    );
  }
}

function mergeField(merged: JsonObject, name: string, change: JsonValue, schema: Schema | undefined): void {
  const next = change === null ? undefined : mergeValues(merged, name, change, schema);
  if (next === undefined) delete merged[name];
  else setOwn(merged, name, next);
}

function mergeValues(
  merged: JsonObject,
  name: string,
  change: JsonValue,
  schema: Schema | undefined,
): JsonValue | undefined {
  const live = Object.hasOwn(merged, name) ? merged[name] : undefined;
  if (isJsonObject(live) && isJsonObject(change)) {
    const field = patchField(schema, name);
    return field.strategy === 'replace' ? change : mergeObjects(live, change, field.schema);
  }
  if (Array.isArray(live) && Array.isArray(change)) {
    const field = patchField(schema, name);
    return field.strategy === 'merge' ? mergeLists(live, change, field, { mergeItem: mergeObjects }) : change;
  }
  return withoutDirectives(withoutNulls(change));
}

/** Removes the `null`s of a value that is new to the document, which has no fields that they could remove. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const rest: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (value[name] !== null) setOwn(rest, name, withoutNulls(value[name]!));
  }
  return rest;
}
