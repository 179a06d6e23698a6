import { addErrors, type FieldError } from '../../errors/index.ts';
import { deepCopy, deepEqual, type JsonValue } from '../../json/index.ts';
import { parseSchema } from '../parse-schema.ts';
import { prune } from '../prune.ts';
import type { Schema } from '../schema.ts';
import { type SchemaNode, schemaNodeOf } from '../schema-node.ts';
import { checkEmbedded } from '../validate/embedded.ts';
import { shownValue } from '../validate/types.ts';
import { validateValues } from '../validate/validate.ts';
import { childAt, hasDefault, namedChildren, type SchemaAtPath } from './schema-json.ts';

/**
 * Checks that defaults are valid and that pruning leaves them as they are. As in Kubernetes, defaults of map values are
 * not checked, and sets may repeat items. CEL rules are checked where they are compiled.
 */
export function checkDefaults(root: SchemaAtPath, errors: FieldError[]): void {
  visit(root, schemaNodeOf({ ...schemaForDefaults(parseSchema(root.json)), embeddedResource: true }), false, errors);
}

/**
 * Kubernetes drops formats that do not apply to a type before it validates objects, but not before it validates
 * defaults. It also accepts any type in the default of an int-or-string.
 */
function schemaForDefaults(schema: Schema): Schema {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  const named = Object.entries(properties ?? {}).map(([name, inner]) => [name, schemaForDefaults(inner)] as const);
  return {
    ...schema,
    ...(schema.format !== undefined && { anyFormat: true }),
    ...(schema.intOrString && { intOrString: false }),
    ...(properties && { properties: Object.fromEntries(named) }),
    ...(items && { items: schemaForDefaults(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: schemaForDefaults(additionalProperties) }),
    ...(allOf && { allOf: allOf.map(schemaForDefaults) }),
    ...(anyOf && { anyOf: anyOf.map(schemaForDefaults) }),
    ...(oneOf && { oneOf: oneOf.map(schemaForDefaults) }),
    ...(not && { not: schemaForDefaults(not) }),
  };
}

function visit(schema: SchemaAtPath, node: SchemaNode, isInsideMeta: boolean, errors: FieldError[]): void {
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
  { json, path }: SchemaAtPath,
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
