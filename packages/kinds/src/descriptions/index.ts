import type { OpenApiSchema } from '../schemas/type-table.ts';
import { texts } from './generated/texts.ts';

/**
 * Returns the schema of a built-in type, by its OpenAPI name, with a description of the type and of each of its fields. The
 * schema of any other type comes back as it is.
 */
export function describeType(typeName: string, schema: OpenApiSchema): OpenApiSchema {
  const text = Object.hasOwn(texts, typeName) ? texts[typeName] : undefined;
  if (text === undefined) return schema;
  const [description = '', ...fields] = JSON.parse(text) as string[];
  if (schema.properties === undefined) return { description, ...schema };
  const properties = Object.entries(schema.properties).map(([name, property], index) => [
    name,
    { description: fields[index], ...property },
  ]);
  return { description, ...schema, properties: Object.fromEntries(properties) };
}
