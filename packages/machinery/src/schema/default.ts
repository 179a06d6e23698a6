import { deepCopy, isJsonObject, requestLimits, setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { SchemaDefault, SchemaNode } from './node.ts';

/** Defaults may add as many bytes to one value as a request may send: a short list of empty items must not become gigabytes. */
const MAX_ADDED_BYTES = requestLimits.maxBytes;

/** Thrown where defaults would make a value grow beyond the limit. */
export class DefaultsLimitError extends Error {
  override readonly name = 'DefaultsLimitError';
  readonly maxBytes = MAX_ADDED_BYTES;

  constructor() {
    super(`Cannot fill in defaults: they add more than ${MAX_ADDED_BYTES} bytes`);
  }
}

/** How many bytes of JSON defaults have added so far. */
interface Growth {
  addedBytes: number;
}

/**
 * Fills in the schema's defaults, in place and wherever the object that would hold them is there. A null where null is
 * not allowed gives way to a default; without one it stays, for `dropNulls` to take away or for validation to find.
 *
 * Returns how many bytes of JSON were added. Throws `DefaultsLimitError` before the value grows by more than a request
 * may send; what was filled in until then stays.
 */
export function applyDefaults(value: JsonValue, node: SchemaNode): number {
  const growth: Growth = { addedBytes: 0 };
  defaultValue(value, node, growth);
  return growth.addedBytes;
}

/**
 * Takes away the nulls that are not allowed and have no default to give way to, in place: what a client sends as null
 * counts as absent. Inside lists they stay, for validation to find.
 */
export function dropNulls(value: JsonValue, node: SchemaNode): void {
  if (Array.isArray(value)) {
    if (node.items !== undefined) for (const item of value) dropNulls(item, node.items);
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const field = node.properties.get(name) ?? node.values;
      if (field === undefined) continue;
      const member = value[name]!;
      if (member !== null) dropNulls(member, field);
      else if (!field.nullable && field.fallback === undefined) delete value[name];
    }
  }
}

function defaultValue(value: JsonValue, node: SchemaNode, growth: Growth): void {
  if (Array.isArray(value)) defaultItems(value, node, growth);
  else if (isJsonObject(value)) defaultFields(value, node, growth);
}

function defaultFields(object: JsonObject, node: SchemaNode, growth: Growth): void {
  for (const [name, fallback] of node.defaults) {
    if (!Object.hasOwn(object, name)) setOwn(object, name, copyOf(fallback, growth));
  }
  for (const name of Object.keys(object)) {
    const field = node.properties.get(name) ?? node.values;
    if (field === undefined) continue;
    const fallback = object[name] === null && !field.nullable ? field.fallback : undefined;
    if (fallback !== undefined) setOwn(object, name, copyOf(fallback, growth));
    defaultValue(object[name]!, field, growth);
  }
}

function defaultItems(items: JsonValue[], node: SchemaNode, growth: Growth): void {
  const { items: itemNode } = node;
  if (itemNode === undefined) return;
  const fallback = itemNode.nullable ? undefined : itemNode.fallback;
  for (let index = 0; index < items.length; index++) {
    if (items[index] === null && fallback !== undefined) items[index] = copyOf(fallback, growth);
    defaultValue(items[index]!, itemNode, growth);
  }
}

function copyOf({ value, bytes }: SchemaDefault, growth: Growth): JsonValue {
  growth.addedBytes += bytes;
  if (growth.addedBytes > MAX_ADDED_BYTES) throw new DefaultsLimitError();
  return deepCopy(value);
}
