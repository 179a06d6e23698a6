import { deepCopy, isJsonObject, requestLimits, setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { SchemaDefault, SchemaNode } from './schema-node.ts';

/**
 * Most bytes that defaults may add to one value, as many as a request may send: a short list of empty items must not
 * become gigabytes.
 */
const MAX_ADDED_BYTES = requestLimits.maxBytes;

/** Thrown when defaults would make a value grow beyond the limit. */
export class DefaultsLimitError extends Error {
  override readonly name = 'DefaultsLimitError';
  readonly maxBytes = MAX_ADDED_BYTES;

  constructor() {
    super(`Cannot fill in defaults: they add more than ${MAX_ADDED_BYTES} bytes`);
  }
}

export interface DropNullsOptions {
  /** Keeps the nulls that validation refuses: those of fields that have a type. Default: false. */
  readonly keepsTyped?: boolean;
}

/** Bytes of JSON that defaults have added so far. */
interface Growth {
  addedBytes: number;
}

/**
 * Sets the schema's defaults in place, wherever their parent object is present. A default replaces a null where null is
 * not allowed; without a default the null stays, for `dropNulls` to remove or for validation to report.
 *
 * Returns the bytes of JSON added. Throws `DefaultsLimitError` before the value grows by more than a request may send;
 * defaults set until then stay.
 */
export function applyDefaults(value: JsonValue, node: SchemaNode): number {
  const growth: Growth = { addedBytes: 0 };
  defaultValue(value, node, growth);
  return growth.addedBytes;
}

/**
 * Removes, in place, nulls that are neither allowed nor have a default: a null that a client sends counts as absent.
 * Nulls in lists stay, for validation to report. With `keepsTyped`, so do nulls of fields that have a type.
 */
export function dropNulls(value: JsonValue, node: SchemaNode, options: DropNullsOptions = {}): void {
  if (Array.isArray(value)) {
    if (node.items !== undefined) for (const item of value) dropNulls(item, node.items, options);
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const field = node.properties.get(name) ?? node.values;
      if (field === undefined) continue;
      const member = value[name]!;
      if (member !== null) dropNulls(member, field, options);
      else if (isAbsent(field, options)) delete value[name];
    }
  }
}

/** True when a null in this field counts as absent. */
function isAbsent({ nullable, fallback, schema }: SchemaNode, { keepsTyped = false }: DropNullsOptions): boolean {
  if (nullable || fallback !== undefined) return false;
  return !keepsTyped || (schema.type === undefined && schema.intOrString !== true);
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
