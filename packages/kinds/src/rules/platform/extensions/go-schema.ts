import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';

/** The fields of Kubernetes' internal type of a schema, in its order, and their keywords. */
export const SCHEMA_FIELDS: readonly (readonly [string, string])[] = [
  ['ID', 'id'],
  ['Schema', '$schema'],
  ['Ref', '$ref'],
  ['Description', 'description'],
  ['Type', 'type'],
  ['Nullable', 'nullable'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Default', 'default'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Enum', 'enum'],
  ['MaxProperties', 'maxProperties'],
  ['MinProperties', 'minProperties'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['AllOf', 'allOf'],
  ['OneOf', 'oneOf'],
  ['AnyOf', 'anyOf'],
  ['Not', 'not'],
  ['Properties', 'properties'],
  ['AdditionalProperties', 'additionalProperties'],
  ['PatternProperties', 'patternProperties'],
  ['Dependencies', 'dependencies'],
  ['AdditionalItems', 'additionalItems'],
  ['Definitions', 'definitions'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource'],
  ['XIntOrString', 'x-kubernetes-int-or-string'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys'],
  ['XListType', 'x-kubernetes-list-type'],
  ['XMapType', 'x-kubernetes-map-type'],
  ['XValidations', 'x-kubernetes-validations'],
];

const TEXTS = new Set(['id', '$schema', 'description', 'type', 'format', 'title', 'pattern']);
const FLAGS = new Set([
  'nullable',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);

/** Returns a schema as Kubernetes prints its internal type in an error: every field, set or not. */
export function goSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    SCHEMA_FIELDS.map(([field, keyword]) => [field, goValue(keyword, getOwn(schema, keyword))]),
  );
}

function goValue(keyword: string, value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null) return TEXTS.has(keyword) ? '' : FLAGS.has(keyword) ? false : null;
  switch (keyword) {
    case 'not':
      return isJsonObject(value) ? goSchema(value) : value;
    case 'allOf':
    case 'oneOf':
    case 'anyOf':
      return Array.isArray(value) ? value.map((item) => (isJsonObject(item) ? goSchema(item) : item)) : value;
    case 'items':
      if (Array.isArray(value)) return { Schema: null, JSONSchemas: value.filter(isJsonObject).map(goSchema) };
      return isJsonObject(value) ? { Schema: goSchema(value), JSONSchemas: null } : value;
    case 'additionalItems':
    case 'additionalProperties':
      return isJsonObject(value) ? { Allows: true, Schema: goSchema(value) } : { Allows: value, Schema: null };
    case 'dependencies':
      return isJsonObject(value) ? mapValues(value, goDependency) : value;
    case 'properties':
    case 'patternProperties':
    case 'definitions':
      return isJsonObject(value) ? mapValues(value, (item) => (isJsonObject(item) ? goSchema(item) : item)) : value;
    case 'externalDocs':
      return isJsonObject(value)
        ? goFields(value, [
            ['Description', 'description', ''],
            ['URL', 'url', ''],
          ])
        : value;
    case 'x-kubernetes-validations':
      return Array.isArray(value)
        ? value.map((rule) => (isJsonObject(rule) ? goFields(rule, RULE_FIELDS) : rule))
        : value;
    default:
      return value;
  }
}

/** A field's name in Go, its name in the API, and its value when it is not set. */
type GoField = readonly [string, string, JsonValue];

const RULE_FIELDS: readonly GoField[] = [
  ['Rule', 'rule', ''],
  ['Message', 'message', ''],
  ['MessageExpression', 'messageExpression', ''],
  ['Reason', 'reason', null],
  ['FieldPath', 'fieldPath', ''],
  ['OptionalOldSelf', 'optionalOldSelf', null],
];

function goFields(value: JsonObject, fields: readonly GoField[]): JsonObject {
  return Object.fromEntries(fields.map(([field, name, absent]) => [field, getOwn(value, name) ?? absent]));
}

function goDependency(value: JsonValue): JsonValue {
  return isJsonObject(value) ? { Schema: goSchema(value), Property: null } : { Schema: null, Property: value };
}

/** Go prints maps in the order of their keys. */
function mapValues(map: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));
}
