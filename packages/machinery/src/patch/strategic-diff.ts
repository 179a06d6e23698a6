import { deepEqual, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/index.ts';
import { type Schema, schemaNodeOf } from '../schema/index.ts';
import { type PatchField, patchField } from './strategic-schema.ts';

/**
 * Returns the strategic merge patch from `original` to `modified`; empty when they are equal. Merged lists of scalars
 * are sets: a value that `modified` repeats is in the result once. `null` and absent fields cannot be distinguished.
 */
export function createStrategicPatch(
  original: JsonObject,
  modified: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  return diffObjects(original, modified, schema);
}

function diffObjects(original: JsonObject, modified: JsonObject, schema: Schema | undefined): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(original)) if (!Object.hasOwn(modified, name)) setOwn(patch, name, null);
  for (const name of Object.keys(modified)) {
    const before = Object.hasOwn(original, name) ? original[name] : undefined;
    const after = modified[name]!;
    if (before !== undefined && deepEqual(before, after)) continue;
    diffField(patch, name, before, after, schema);
  }
  return patch;
}

function diffField(
  patch: JsonObject,
  name: string,
  before: JsonValue | undefined,
  after: JsonValue,
  schema: Schema | undefined,
): void {
  if (isJsonObject(before) && isJsonObject(after)) setOwn(patch, name, diffMember(name, before, after, schema));
  else if (Array.isArray(before) && Array.isArray(after)) diffList(patch, name, before, after, schema);
  else setOwn(patch, name, after);
}

/** Only objects with declared fields can be merged into; the others are replaced. */
function diffMember(name: string, before: JsonObject, after: JsonObject, schema: Schema | undefined): JsonObject {
  const known = schema?.properties !== undefined && schemaNodeOf(schema).properties.has(name);
  if (!known) return { $patch: 'replace', ...after };
  const field = patchField(schema, name);
  if (field.strategy === 'replace') return after;
  if (!isMergeable(field.schema, after)) return { $patch: 'replace', ...after };
  const patch = diffObjects(before, after, field.schema);
  return field.retainsKeys ? { $retainKeys: Object.keys(after).sort(), ...patch } : patch;
}

/** Names that look like directives can only be replaced; a map of objects cannot be merged at all. */
function isMergeable(schema: Schema, after: JsonObject): boolean {
  if (Object.keys(after).some((name) => name.startsWith('$'))) return false;
  return schema.properties !== undefined || Object.values(after).every((value) => typeof value !== 'object');
}

function diffList(
  patch: JsonObject,
  name: string,
  before: readonly JsonValue[],
  after: JsonValue[],
  schema: Schema | undefined,
): void {
  const field = patchField(schema, name);
  if (field.strategy !== 'merge') setOwn(patch, name, after);
  else if (field.mergeKey === '') diffScalars(patch, name, before, after);
  else diffItems(patch, name, before, after, field);
}

function diffScalars(patch: JsonObject, name: string, before: readonly JsonValue[], after: readonly JsonValue[]): void {
  const old = new Set(before);
  const next = new Set(after);
  const gone = before.filter((item) => !next.has(item));
  const added = after.filter((item) => !old.has(item));
  if (gone.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = gone;
  if (added.length > 0) setOwn(patch, name, added);
  if (after.length > 0) patch[`$setElementOrder/${name}`] = [...next];
}

function diffItems(
  patch: JsonObject,
  name: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  field: PatchField,
): void {
  const { mergeKey } = field;
  const old = byKey(before, mergeKey);
  const next = byKey(after, mergeKey);
  if (old === undefined || next === undefined) {
    setOwn(patch, name, [...after, { $patch: 'replace' }]);
    return;
  }
  const changes: JsonObject[] = [];
  for (const [key, item] of next) {
    const live = old.get(key);
    if (live === undefined) changes.push(item);
    else if (!deepEqual(live, item)) changes.push({ ...diffObjects(live, item, field.schema.items), [mergeKey]: key });
  }
  for (const key of old.keys()) if (!next.has(key)) changes.push({ $patch: 'delete', [mergeKey]: key });
  if (changes.length > 0) setOwn(patch, name, changes);
  if (next.size > 0) patch[`$setElementOrder/${name}`] = [...next.keys()].map((key) => ({ [mergeKey]: key }));
}

/** Returns the items by their key; `undefined` if an item has no key or shares it. */
function byKey(list: readonly JsonValue[], mergeKey: string): Map<JsonValue, JsonObject> | undefined {
  const items = new Map<JsonValue, JsonObject>();
  for (const item of list) {
    const key = isJsonObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
    if (!isJsonObject(item) || key === undefined || typeof key === 'object' || items.has(key)) return undefined;
    items.set(key, item);
  }
  return items;
}
