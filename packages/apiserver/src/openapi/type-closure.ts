import { describeType } from '@pintle/kinds/descriptions';
import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { SchemaSource } from '../discovery/documents.ts';
import type { PathItem, Payload } from './model.ts';

export const COMPONENT_PREFIX = '#/components/schemas/';

/** Returns the types that the paths need, with all that those refer to, described, in the order of names. */
export function typesOf(items: readonly PathItem[], schemas: SchemaSource): ReadonlyMap<string, OpenApiSchema> {
  const found = new Map<string, OpenApiSchema>();
  const pending = [...rootTypes(items)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    const schema = schemas.schemaOf(name);
    if (schema === undefined) continue;
    found.set(name, describeType(name, schema));
    collectReferences(schema, pending);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function rootTypes(items: readonly PathItem[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { operations } of items) {
    for (const { body, responses } of Object.values(operations)) {
      if (body !== undefined) names.add(body.typeName);
      for (const payload of Object.values<Payload>(responses))
        if (typeof payload === 'object') names.add(payload.typeName);
    }
  }
  return names;
}

/** Recurses: schemas are at most as deep as the JSON of a request. */
function collectReferences(schema: OpenApiSchema, names: string[]): void {
  if (schema.$ref?.startsWith(COMPONENT_PREFIX)) names.push(schema.$ref.slice(COMPONENT_PREFIX.length));
  for (const part of Object.values(schema.properties ?? {})) collectReferences(part, names);
  for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? [])]) collectReferences(part, names);
  if (schema.items) collectReferences(schema.items, names);
  if (typeof schema.additionalProperties === 'object') collectReferences(schema.additionalProperties, names);
}
