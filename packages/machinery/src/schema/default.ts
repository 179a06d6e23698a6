import { deepCopy, isJsonObject, setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { SchemaNode } from './node.ts';

/**
 * Fills in the schema's defaults, in place and wherever the object that would hold them is there. A null where null is
 * not allowed counts as absent: it gives way to a default, or goes. Inside lists it stays, for validation to find.
 */
export function applyDefaults(value: JsonValue, node: SchemaNode): void {
  if (Array.isArray(value)) defaultItems(value, node);
  else if (isJsonObject(value)) defaultFields(value, node);
}

function defaultFields(object: JsonObject, node: SchemaNode): void {
  for (const name of Object.keys(object)) {
    const field = node.properties.get(name) ?? node.values;
    if (field !== undefined && object[name] === null && !field.nullable) replaceNull(object, name, field);
  }
  for (const [name, value] of node.defaults) {
    if (!Object.hasOwn(object, name)) setOwn(object, name, deepCopy(value));
  }
  for (const name of Object.keys(object)) {
    const field = node.properties.get(name) ?? node.values;
    if (field !== undefined) applyDefaults(object[name]!, field);
  }
}

function replaceNull(object: JsonObject, name: string, field: SchemaNode): void {
  const { default: value } = field.schema;
  if (value === undefined || value === null) delete object[name];
  else setOwn(object, name, deepCopy(value));
}

function defaultItems(items: JsonValue[], node: SchemaNode): void {
  const { items: itemNode } = node;
  if (itemNode === undefined) return;
  const fallback = itemNode.nullable ? null : (itemNode.schema.default ?? null);
  for (let index = 0; index < items.length; index++) {
    if (items[index] === null && fallback !== null) items[index] = deepCopy(fallback);
    applyDefaults(items[index]!, itemNode);
  }
}
