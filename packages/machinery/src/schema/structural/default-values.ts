import { addErrors, type FieldError } from '../../errors/index.ts';
import { deepCopy, deepEqual, type JsonValue } from '../../json/index.ts';
import { nodeOf, type SchemaNode } from '../node.ts';
import { parseSchema } from '../parse-schema.ts';
import { prune } from '../prune.ts';
import type { Schema } from '../schema.ts';
import { checkEmbedded } from '../validate/embedded.ts';
import { shownValue } from '../validate/types.ts';
import { validateValues } from '../validate/validate.ts';
import { childAt, hasDefault, namedChildren, type PlacedSchema } from './schema-json.ts';

/**
 * Defaults must be valid and hold nothing that would be pruned. Defaults of map values are not looked at, and sets may
 * repeat items: so it is in Kubernetes. Whether they satisfy CEL rules is for whoever compiles those.
 */
export function checkDefaults(root: PlacedSchema, errors: FieldError[]): void {
  visit(root, nodeOf({ ...asForDefaults(parseSchema(root.json)), embeddedResource: true }), false, errors);
}

/**
 * Formats that mean nothing for a type are dropped before objects are validated, yet not before defaults are; and nobody
 * asks of a default whether it is an integer or a string where it may be either.
 */
function asForDefaults(schema: Schema): Schema {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  const named = Object.entries(properties ?? {}).map(([name, inner]) => [name, asForDefaults(inner)] as const);
  return {
    ...schema,
    ...(schema.format !== undefined && { anyFormat: true }),
    ...(schema.intOrString && { intOrString: false }),
    ...(properties && { properties: Object.fromEntries(named) }),
    ...(items && { items: asForDefaults(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: asForDefaults(additionalProperties) }),
    ...(allOf && { allOf: allOf.map(asForDefaults) }),
    ...(anyOf && { anyOf: anyOf.map(asForDefaults) }),
    ...(oneOf && { oneOf: oneOf.map(asForDefaults) }),
    ...(not && { not: asForDefaults(not) }),
  };
}

function visit(schema: PlacedSchema, node: SchemaNode, isInsideMeta: boolean, errors: FieldError[]): void {
  const inside = isInsideMeta && !node.isEmbeddedResource;
  if (hasDefault(schema.json)) checkDefault(schema, node, inside, errors);
  const items = childAt(schema, 'items');
  if (items !== undefined && node.items !== undefined) visit(items, node.items, inside, errors);
  for (const [name, property] of namedChildren(schema, 'properties')) {
    const isMetaField = name === 'metadata' || name === 'apiVersion' || name === 'kind';
    const propertyNode = node.properties.get(name);
    if (propertyNode !== undefined) {
      visit(property, propertyNode, inside || (node.isEmbeddedResource && isMetaField), errors);
    }
  }
}

function checkDefault(
  { json, path }: PlacedSchema,
  node: SchemaNode,
  isInsideMeta: boolean,
  errors: FieldError[],
): void {
  const value = json.default!;
  const at = path.child('default');
  const found: FieldError[] = [];
  if (!isInsideMeta) {
    if (!isPruned(value, node)) {
      const body = `Invalid value: ${shownValue(value)}: must not have unknown fields`;
      errors.push({ reason: 'FieldValueInvalid', field: String(at), body });
    }
    checkEmbedded(value, node, at, found);
  }
  addErrors(errors, found.length > 0 ? found : validateValues(value, node, { path: at }));
}

function isPruned(value: JsonValue, node: SchemaNode): boolean {
  const copy = deepCopy(value);
  prune(copy, node);
  return deepEqual(copy, value);
}
