import type { Schema } from '../../schema/index.ts';
import { table } from '../../table/table.ts';
import { sharedMetadataSchema } from './type-view.ts';

/**
 * The schema under which the fields of a custom resource are owned: the definition's own, with the metadata every object
 * has. Without a schema everything else is deduced from the values. Always the same one for the same schema.
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
