import { isJsonObject, type JsonValue, requestLimits } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { hasBelow, type SchemaNode, schemaNodeOf } from '../../schema/schema-node.ts';
import { FieldsError } from '../fields-error.ts';

/** Defaults of keys up to this length cannot add up to much, for as many items as a request may have. */
const SHORT_BYTES = 32;

/**
 * Bounds the identities of items in map lists: an item that omits a key is identified by the key's default, so a short
 * list may have megabytes of identities. Throws `FieldsError` when they exceed the size of a request. Costs nothing
 * where no key has a long default.
 */
export function checkKeyDefaults(value: JsonValue, schema: Schema | undefined): void {
  if (schema === undefined) return;
  const node = schemaNodeOf(schema);
  if (hasLongKeyDefaults(node)) count(value, node, { bytes: 0 });
}

const hasLongKeyDefaults = hasBelow((schema) => {
  const fields = schema.items && schemaNodeOf(schema.items).properties;
  return (schema.listMapKeys ?? []).some((key) => (fields?.get(key)?.fallback?.bytes ?? 0) > SHORT_BYTES);
});

interface Identities {
  bytes: number;
}

function count(value: JsonValue, node: SchemaNode, identities: Identities): void {
  if (Array.isArray(value)) {
    const { items: itemNode } = node;
    if (itemNode === undefined) return;
    for (const item of value) {
      for (const key of node.schema.listMapKeys ?? []) countMissing(item, key, itemNode, identities);
      count(item, itemNode, identities);
    }
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const field = node.properties.get(name) ?? node.values;
      if (field !== undefined) count(value[name]!, field, identities);
    }
  }
}

function countMissing(item: JsonValue, key: string, itemNode: SchemaNode, identities: Identities): void {
  if (!isJsonObject(item) || Object.hasOwn(item, key)) return;
  identities.bytes += itemNode.properties.get(key)?.fallback?.bytes ?? 0;
  const { maxBytes } = requestLimits;
  if (identities.bytes > maxBytes) throw new FieldsError({ code: 'TooLarge', maxBytes });
}
