import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import type { Schema, ZeroRule } from '@pintle/machinery/schema';
import { table } from '@pintle/machinery/table';
import { embeddingOf } from './embedded-structs.ts';
import { goFactsOfType, type OpenApiSchema, openapiOfType, typeNameOf } from './type-table.ts';

/** The schema of a built-in kind. The same kind gives the same object, and so does every type on the way. */
export function schemaOf(gvk: GroupVersionKind): Schema | undefined {
  const name = typeNameOf(gvk);
  return name === undefined ? undefined : schemaOfType(name);
}

/**
 * The schema of a type by its OpenAPI name. Types are linked when first asked for. A field that refers to a type has a
 * schema of its own, for what is particular about the field, and shares `properties` with its type.
 */
export function schemaOfType(typeName: string): Schema | undefined {
  const known = linked.get(typeName);
  if (known !== undefined) return known;
  const source = openapiOfType(typeName);
  return source === undefined ? undefined : link(typeName, source);
}

const linked = new Map<string, Schema>();
const refPrefix = '#/components/schemas/';

/** A type is complete, but for the fields of its `properties`, before anything it refers to is linked: cycles close. */
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
    properties[key] = emptyIsSaid.has(`${typeName}.${key}`) ? { ...field, zero: 'keep' } : field;
  }
  return schema;
}

/**
 * Lists and maps whose emptiness is a mistake that must not look like an absence: absent, they have defaults, or may be
 * absent, or are told so in other words. None of them is ever stored empty.
 */
const emptyIsSaid: ReadonlySet<string> = new Set([
  'io.k8s.api.autoscaling.v2.HPAScalingRules.policies',
  'io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement.values',
  'io.k8s.api.batch.v1.SuccessPolicy.rules',
  'io.k8s.api.core.v1.EphemeralContainer.ports',
  'io.k8s.api.core.v1.EphemeralContainer.resizePolicy',
  'io.k8s.api.core.v1.EphemeralContainer.restartPolicyRules',
  'io.k8s.api.core.v1.PersistentVolumeSpec.capacity',
  'io.k8s.api.networking.v1.ServiceCIDRSpec.cidrs',
]);

/** Types that hold what nobody has a schema for. */
const openTypes: ReadonlySet<string> = new Set([
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
]);

/** A fact is a letter for the zero rule, then the Go types from the outside in: `o[]v1.Container>v1.Container`. */
function readField(source: OpenApiSchema, fact: string): Schema {
  const field = readValue(source, fact.slice(1).split('>'), 0);
  Object.assign(field, zeroRules[fact[0] ?? '']);
  // Left out where it is empty, and yet there: an item of a keyed list is known by it.
  if (field.zero === 'omit' && source.default === '') field.default = '';
  return field;
}

/** `nullable` beside `keep`: a pointer that Go prints as null while it is unset, for lack of omitempty. */
const zeroRules: Readonly<Record<string, { readonly zero: ZeroRule; readonly nullable?: true }>> = table({
  k: { zero: 'keep' },
  n: { zero: 'keep', nullable: true },
  o: { zero: 'omit' },
  e: { zero: 'emit' },
});

/** A new object for every place in the document, so that a field can be told from the type it refers to. */
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

/** What stands at this place of the document, references and parts aside. */
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

/** What the document and the model both have, under the model's name. */
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

/** A default of `{}`, `""`, `0` or `false` only says what Go's zero value is, which the zero rule says already. */
function hasMeaning(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null) return false;
  return typeof value === 'object' ? Object.keys(value).length > 0 : Boolean(value);
}
