import type { Schema } from '../../schema/index.ts';
import { table } from '../../table/table.ts';
import { sharedMetadataSchema } from './type-view.ts';

/**
 * Returns the schema for the field ownership of a custom resource: the definition's own, with the metadata that every
 * object has. Without a schema all other types are deduced from the values. Always the same one for the same schema.
 */
export function customObjectSchema(schema: Schema | undefined): Schema {
  if (schema === undefined) return schemaless;
  const known = made.get(schema);
  if (known !== undefined) return known;
  const whole: Schema = { ...schema, properties: { ...schema.properties, ...ofEveryObject } };
  made.set(schema, whole);
  return whole;
}

const made = new WeakMap<Schema, Schema>();

const ofEveryObject: Readonly<Record<string, Schema>> = table({
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: sharedMetadataSchema,
});

const schemaless: Schema = { type: 'object', preserveUnknownFields: true, properties: ofEveryObject };
