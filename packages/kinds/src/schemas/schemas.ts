import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import type { Schema, ZeroRule } from '@pintle/machinery/schema';
import type { OpenApiSchema } from './type-table.ts';
import { goFactsOfType, openapiOfType, typeNameOf } from './type-table.ts';

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
  const [goType, ...fields] = (goFactsOfType(typeName) ?? '').split('|');
  const properties: Record<string, Schema> = {};
  const schema = { ...describeType(typeName, source, properties), ...(goType && { goType }) };
  linked.set(typeName, schema);
  for (const [index, [key, property]] of Object.entries(source.properties ?? {}).entries())
    properties[key] = readField(property, fields[index] ?? '');
  return schema;
}

function describeType(typeName: string, source: OpenApiSchema, properties: Record<string, Schema>): Schema {
  const own = readOwn(source);
  if (source.properties) return { ...own, properties };
  if (openTypes.has(typeName)) return { ...own, preserveUnknownFields: true };
  return source.type === 'object' ? { ...own, properties } : own;
}

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
  const rule = zeroRules[fact[0] ?? ''];
  return { ...readValue(source, fact.slice(1).split('>')), ...rule };
}

/** `nullable` beside `keep`: a pointer that Go prints as null while it is unset, for lack of omitempty. */
const zeroRules: Readonly<Record<string, { readonly zero: ZeroRule; readonly nullable?: true }>> = {
  k: { zero: 'keep' },
  n: { zero: 'keep', nullable: true },
  o: { zero: 'omit' },
  e: { zero: 'emit' },
};

function readValue(source: OpenApiSchema, [goType, ...itemTypes]: readonly string[]): Schema {
  const own = { ...readReferred(source), ...readOwn(source), ...(goType && { goType }) };
  if (source.items) return { ...own, items: readValue(source.items, itemTypes) };
  if (source.additionalProperties)
    return { ...own, additionalProperties: readValue(source.additionalProperties, itemTypes) };
  return own;
}

function readReferred(source: OpenApiSchema): Schema | undefined {
  const ref = source.$ref ?? source.allOf?.[0]?.$ref;
  return ref === undefined ? undefined : schemaOfType(ref.slice(refPrefix.length));
}

/** What stands at this place of the document, references and parts aside. */
function readOwn(source: OpenApiSchema): Schema {
  if (source.format === 'int-or-string') return { intOrString: true };
  return {
    ...(source.type && { type: source.type }),
    ...(source.format && { format: source.format }),
    ...(hasMeaning(source.default) && { default: source.default }),
    ...(source.enum && { enum: source.enum }),
    ...(source.required && { required: source.required }),
    ...(source.oneOf && { oneOf: source.oneOf.map(readOwn) }),
    ...(source['x-kubernetes-list-type'] && { listType: source['x-kubernetes-list-type'] }),
    ...(source['x-kubernetes-list-map-keys'] && { listMapKeys: source['x-kubernetes-list-map-keys'] }),
    ...(source['x-kubernetes-map-type'] && { mapType: source['x-kubernetes-map-type'] }),
    ...(source['x-kubernetes-patch-strategy'] && { patchStrategy: source['x-kubernetes-patch-strategy'] }),
    ...(source['x-kubernetes-patch-merge-key'] && { patchMergeKey: source['x-kubernetes-patch-merge-key'] }),
  };
}

/** A default of `{}`, `""`, `0` or `false` only says what Go's zero value is, which the zero rule says already. */
function hasMeaning(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null) return false;
  return typeof value === 'object' ? Object.keys(value).length > 0 : Boolean(value);
}
