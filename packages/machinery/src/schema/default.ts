import { deepCopy, isJsonObject, setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { SchemaNode } from './node.ts';

/** How many values defaults may add to one value: a short list of empty items must not become a long one of full ones. */
const MAX_ADDED = 500_000;

/** Thrown where defaults would make a value grow beyond all measure. */
export class DefaultsLimitError extends Error {
  override readonly name = 'DefaultsLimitError';
}

/** What defaults have added so far. */
interface Growth {
  added: number;
}

/**
 * Fills in the schema's defaults, in place and wherever the object that would hold them is there. A null where null is
 * not allowed gives way to a default; without one it stays, for `dropNulls` to take away or for validation to find.
 */
export function applyDefaults(value: JsonValue, node: SchemaNode, growth: Growth = { added: 0 }): void {
  if (Array.isArray(value)) defaultItems(value, node, growth);
  else if (isJsonObject(value)) defaultFields(value, node, growth);
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
      else if (!field.nullable && fallbackOf(field) === undefined) delete value[name];
    }
  }
}

function defaultFields(object: JsonObject, node: SchemaNode, growth: Growth): void {
  for (const [name, value] of node.defaults) {
    if (!Object.hasOwn(object, name)) setOwn(object, name, copyOf(value, growth));
  }
  for (const name of Object.keys(object)) {
    const field = node.properties.get(name) ?? node.values;
    if (field === undefined) continue;
    const fallback = object[name] === null && !field.nullable ? fallbackOf(field) : undefined;
    if (fallback !== undefined) setOwn(object, name, copyOf(fallback, growth));
    applyDefaults(object[name]!, field, growth);
  }
}

function fallbackOf({ schema }: SchemaNode): JsonValue | undefined {
  return schema.default ?? undefined;
}

function defaultItems(items: JsonValue[], node: SchemaNode, growth: Growth): void {
  const { items: itemNode } = node;
  if (itemNode === undefined) return;
  const fallback = itemNode.nullable ? undefined : fallbackOf(itemNode);
  for (let index = 0; index < items.length; index++) {
    if (items[index] === null && fallback !== undefined) items[index] = copyOf(fallback, growth);
    applyDefaults(items[index]!, itemNode, growth);
  }
}

function copyOf(value: JsonValue, growth: Growth): JsonValue {
  if (typeof value !== 'object' || value === null) {
    growth.added++;
    return checked(value, growth);
  }
  let size = sizes.get(value);
  if (size === undefined) {
    size = sizeOf(value);
    sizes.set(value, size);
  }
  growth.added += size;
  return deepCopy(checked(value, growth));
}

function checked(value: JsonValue, { added }: Growth): JsonValue {
  if (added > MAX_ADDED) throw new DefaultsLimitError(`defaults would add more than ${MAX_ADDED} values`);
  return value;
}

/** Defaults are counted once, however often they are copied. */
const sizes = new WeakMap<object, number>();

function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const inner of Object.values(value)) size += sizeOf(inner);
  return size;
}
