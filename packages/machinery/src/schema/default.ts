import { deepCopy, isJsonObject, setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { SchemaNode } from './node.ts';

/**
 * Fills in the schema's defaults, in place and wherever the object that would hold them is there. A null where null is
 * not allowed gives way to a default; without one it stays, for `dropNulls` to take away or for validation to find.
 */
export function applyDefaults(value: JsonValue, node: SchemaNode): void {
  if (Array.isArray(value)) defaultItems(value, node);
  else if (isJsonObject(value)) defaultFields(value, node);
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

function defaultFields(object: JsonObject, node: SchemaNode): void {
  for (const [name, value] of node.defaults) {
    if (!Object.hasOwn(object, name)) setOwn(object, name, deepCopy(value));
  }
  for (const name of Object.keys(object)) {
    const field = node.properties.get(name) ?? node.values;
    if (field === undefined) continue;
    const fallback = object[name] === null && !field.nullable ? fallbackOf(field) : undefined;
    if (fallback !== undefined) setOwn(object, name, deepCopy(fallback));
    applyDefaults(object[name]!, field);
  }
}

function fallbackOf({ schema }: SchemaNode): JsonValue | undefined {
  return schema.default ?? undefined;
}

function defaultItems(items: JsonValue[], node: SchemaNode): void {
  const { items: itemNode } = node;
  if (itemNode === undefined) return;
  const fallback = itemNode.nullable ? undefined : fallbackOf(itemNode);
  for (let index = 0; index < items.length; index++) {
    if (items[index] === null && fallback !== undefined) items[index] = deepCopy(fallback);
    applyDefaults(items[index]!, itemNode);
  }
}
