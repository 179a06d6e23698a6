import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import type { Schema, ZeroRule } from '@pintle/machinery/schema';
import { table } from '@pintle/machinery/table';
import { embeddingOf } from './embedded-structs.ts';
import { goFactsOfType, type OpenApiSchema, openapiOfType, typeNameOf } from './type-table.ts';

/** Returns the schema of a built-in kind. The same kind returns the same object, and so does every type in it. */
export function schemaOf(gvk: GroupVersionKind): Schema | undefined {
  const name = typeNameOf(gvk);
  return name === undefined ? undefined : schemaOfType(name);
}

/**
 * Returns the schema of a type by its OpenAPI name. Types are linked on demand. A field that refers to a type has its
 * own schema object, for its own keywords, and shares `properties` with the type.
 */
export function schemaOfType(typeName: string): Schema | undefined {
  const known = linked.get(typeName);
  if (known !== undefined) return known;
  const source = openapiOfType(typeName);
  return source === undefined ? undefined : link(typeName, source);
}

const linked = new Map<string, Schema>();
const refPrefix = '#/components/schemas/';

/** Registers a type before it links the types of its fields, so that cycles end. */
function link(typeName: string, source: OpenApiSchema): Schema {
  const [goType, ...facts] = (goFactsOfType(typeName) ?? '').split('|');
  const properties: Record<string, Schema> = {};
  const schema = readOwn(source, {});
  if (goType) schema.goType = goType;
  if (openTypes.has(typeName)) schema.preserveUnknownFields = true;
  else if (source.type === 'object') schema.properties = properties;
  linked.set(typeName, schema);
  let index = 0;
  for (const key in source.properties) {
    const field = readField(source.properties[key] ?? {}, facts[index++] ?? '');
    const goStruct = embeddingOf(typeName, key);
    if (goStruct !== undefined) Object.assign(field, { goStruct });
    properties[key] = explicitlyEmpty.has(`${typeName}.${key}`) ? { ...field, zero: 'keep' } : field;
  }
  return schema;
}

/**
 * Lists and maps in which empty is an error that must differ from absent: when absent, they have defaults, are allowed,
 * or have another message. None of them is ever stored empty.
 */
const explicitlyEmpty: ReadonlySet<string> = new Set([
  'io.k8s.api.autoscaling.v2.HPAScalingRules.policies',
  'io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement.values',
  'io.k8s.api.batch.v1.SuccessPolicy.rules',
  'io.k8s.api.core.v1.EphemeralContainer.ports',
  'io.k8s.api.core.v1.EphemeralContainer.resizePolicy',
  'io.k8s.api.core.v1.EphemeralContainer.restartPolicyRules',
  'io.k8s.api.core.v1.PersistentVolumeSpec.capacity',
  'io.k8s.api.networking.v1.ServiceCIDRSpec.cidrs',
]);

/** Types that hold values without a schema. */
const openTypes: ReadonlySet<string> = new Set([
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
]);

/** Reads a fact: a letter for the zero rule, then the Go types from the outside in: `o[]v1.Container>v1.Container`. */
function readField(source: OpenApiSchema, fact: string): Schema {
  const field = readValue(source, fact.slice(1).split('>'), 0);
  Object.assign(field, zeroRules[fact[0] ?? '']);
  // Omitted when empty, but still part of the key that identifies an item of a keyed list.
  if (field.zero === 'omit' && source.default === '') field.default = '';
  return field;
}

/** `nullable` beside `keep`: a pointer without omitempty, which Go prints as null while it is unset. */
const zeroRules: Readonly<Record<string, { readonly zero: ZeroRule; readonly nullable?: true }>> = table({
  k: { zero: 'keep' },
  n: { zero: 'keep', nullable: true },
  o: { zero: 'omit' },
  e: { zero: 'emit' },
});

/** Makes a new object for every occurrence in the document, so that a field differs from the type it refers to. */
function readValue(source: OpenApiSchema, goTypes: readonly string[], depth: number): Writable<Schema> {
  const schema: Writable<Schema> = Object.assign({}, readReferred(source));
  readOwn(source, schema);
  const goType = goTypes[depth];
  if (goType) schema.goType = goType;
  if (source.items) schema.items = readValue(source.items, goTypes, depth + 1);
  if (source.additionalProperties)
    schema.additionalProperties = readValue(source.additionalProperties, goTypes, depth + 1);
  return schema;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function readReferred(source: OpenApiSchema): Schema | undefined {
  const ref = source.$ref ?? source.allOf?.[0]?.$ref;
  return ref === undefined ? undefined : schemaOfType(ref.slice(refPrefix.length));
}

/** Reads the keywords at this point of the document, without references and nested schemas. */
function readOwn(source: OpenApiSchema, schema: Writable<Schema>): Writable<Schema> {
  if (source.format === 'int-or-string') return Object.assign(schema, { intOrString: true });
  for (const key in source) {
    const name = namesInModel[key];
    if (name !== undefined) Object.assign(schema, { [name]: source[key as keyof OpenApiSchema] });
  }
  if (hasMeaning(source.default)) schema.default = source.default;
  if (source.oneOf) schema.oneOf = source.oneOf.map((item) => readOwn(item, {}));
  return schema;
}

/** Keywords that the document and the model share, under the model's name. */
const namesInModel: Readonly<Partial<Record<string, keyof Schema>>> = table({
  type: 'type',
  format: 'format',
  enum: 'enum',
  required: 'required',
  'x-kubernetes-list-type': 'listType',
  'x-kubernetes-list-map-keys': 'listMapKeys',
  'x-kubernetes-map-type': 'mapType',
  'x-kubernetes-patch-strategy': 'patchStrategy',
  'x-kubernetes-patch-merge-key': 'patchMergeKey',
});

/** A default of `{}`, `""`, `0` or `false` only repeats Go's zero value, which the zero rule already implies. */
function hasMeaning(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null) return false;
  return typeof value === 'object' ? Object.keys(value).length > 0 : Boolean(value);
}
