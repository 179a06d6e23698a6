import { requestLimits } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import type { StructDeclaration } from '../check/environment.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  structType,
  TIMESTAMP,
  type Type,
} from '../types/type.ts';
import { escapeFieldName, isKeyword } from '../values/field-name.ts';

/** Size limit of requests, and so of all values. */
export const maxRequestBytes: number = requestLimits.maxBytes;

/** CEL type of a schema and size limits of its values. */
export interface SchemaType {
  readonly schema: Schema;
  readonly shape: Shape;
  /** Maximum number of characters, bytes, items or entries; 0 where not applicable. */
  readonly maxElements: number;
  /** Minimum size of a value's JSON, in bytes. */
  readonly minSize: number;
}

type Shape =
  | { readonly kind: 'scalar'; readonly type: Type }
  | { readonly kind: 'list'; readonly items: SchemaType }
  | { readonly kind: 'map'; readonly values: SchemaType }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, SchemaType> };

/**
 * Returns the type of a schema; `undefined` when expressions cannot access its values. `isResourceRoot`: a whole
 * object, which has a kind and a name even if its schema does not.
 */
export function schemaTypeOf(schema: Schema, isResourceRoot: boolean): SchemaType | undefined {
  const memory = isResourceRoot ? rootTypes : types;
  if (memory.has(schema)) return memory.get(schema);
  const type = declare(schema, isResourceRoot);
  memory.set(schema, type);
  return type;
}

const types = new WeakMap<Schema, SchemaType | undefined>();
const rootTypes = new WeakMap<Schema, SchemaType | undefined>();

function declare(schema: Schema, isResourceRoot: boolean): SchemaType | undefined {
  if (schema.intOrString) {
    const maxElements = schema.maxLength === undefined ? maxRequestBytes - 2 : Math.max(schema.maxLength, 0) * 4;
    return { schema, shape: { kind: 'scalar', type: DYN }, maxElements, minSize: 1 };
  }
  switch (schema.type) {
    case 'array':
      return declareList(schema);
    case 'object':
      return declareObject(isResourceRoot ? withObjectMeta(schema) : schema);
    case 'string':
      return declareString(schema);
    case 'boolean':
      return { schema, shape: { kind: 'scalar', type: BOOL }, maxElements: 0, minSize: 4 };
    case 'number':
      return { schema, shape: { kind: 'scalar', type: DOUBLE }, maxElements: 0, minSize: 1 };
    case 'integer':
      return { schema, shape: { kind: 'scalar', type: INT }, maxElements: 0, minSize: 1 };
    default:
      // A quantity is a string or a number, which has no type.
      return undefined;
  }
}

function declareList(schema: Schema): SchemaType | undefined {
  const items = schema.items && schemaTypeOf(schema.items, schema.items.embeddedResource === true);
  if (items === undefined) return undefined;
  const fitting = Math.floor((maxRequestBytes - 2) / (items.minSize + 1));
  const maxElements = schema.maxItems === undefined ? fitting : Math.max(schema.maxItems, 0);
  return { schema, shape: { kind: 'list', items }, maxElements, minSize: 2 };
}

function declareObject(schema: Schema): SchemaType | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== 'object') return declareStruct(schema);
  const values = schemaTypeOf(additionalProperties, additionalProperties.embeddedResource === true);
  if (values === undefined) return undefined;
  const fitting = Math.floor((maxRequestBytes - 2) / (values.minSize + 6));
  const maxElements = schema.maxProperties === undefined ? fitting : Math.max(schema.maxProperties, 0);
  return { schema, shape: { kind: 'map', values }, maxElements, minSize: 2 };
}

function declareStruct(schema: Schema): SchemaType {
  const fields = new Map<string, SchemaType>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = schemaTypeOf(property, property.embeddedResource === true);
    if (field === undefined) continue;
    const escaped = escapeFieldName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.has(name) && property.default === undefined) minSize += byteLength(name) + field.minSize + 4;
  }
  return { schema, shape: { kind: 'struct', fields }, maxElements: 0, minSize };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function declareString(schema: Schema): SchemaType {
  const scalar = (type: Type, maxElements: number, minSize: number): SchemaType => {
    return { schema, shape: { kind: 'scalar', type }, maxElements, minSize };
  };
  const longest = maxRequestBytes - 2;
  switch (schema.format) {
    case 'byte':
      return scalar(BYTES, schema.maxLength === undefined ? longest : Math.max(schema.maxLength, 0), 2);
    case 'duration':
      return scalar(DURATION, 32, 3);
    case 'date':
      return scalar(TIMESTAMP, 12, 12);
    case 'date-time':
      return scalar(TIMESTAMP, 32, 21);
    default: {
      if (schema.maxLength !== undefined) return scalar(STRING, Math.max(schema.maxLength, 0) * 4, 2);
      const words = schema.enum?.map((word) => (typeof word === 'string' ? byteLength(word) : 0));
      return scalar(
        STRING,
        words === undefined ? longest : words.reduce((most, length) => Math.max(most, length), 0),
        2,
      );
    }
  }
}

const text: Schema = { type: 'string' };
const objectMeta: Schema = { type: 'object', properties: { name: text, generateName: text } };

/** Returns the schema with the fields of every object. Only name and generateName of the metadata are visible. */
export function withObjectMeta(schema: Schema): Schema {
  const known = withMeta.get(schema);
  if (known !== undefined) return known;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const names = metadata?.properties;
  const isComplete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    names?.name?.type === 'string' &&
    names.generateName?.type === 'string';
  const complete = isComplete
    ? schema
    : { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata: objectMeta } };
  withMeta.set(schema, complete);
  return complete;
}

const withMeta = new WeakMap<Schema, Schema>();

/** Returns the CEL type. Struct types are named after their paths, so those at different paths differ. */
export function celTypeOf({ shape }: SchemaType, name: string): Type {
  switch (shape.kind) {
    case 'scalar':
      return shape.type;
    case 'list':
      return listType(celTypeOf(shape.items, `${name}.@idx`));
    case 'map':
      return mapType(STRING, celTypeOf(shape.values, `${name}.@elem`));
    case 'struct':
      return structType(name);
  }
}

/** Returns struct types by the names that `celTypeOf` gives them, starting at a root of that name. */
export function structFinder(root: SchemaType, rootName: string): (name: string) => StructDeclaration | undefined {
  return (name) => {
    if (name !== rootName && !name.startsWith(`${rootName}.`)) return undefined;
    let current: SchemaType | undefined = root;
    for (const part of name.slice(rootName.length).split('.').slice(1)) current = current && partOf(current, part);
    if (current?.shape.kind !== 'struct') return undefined;
    const { fields } = current.shape;
    return {
      name,
      field: (field) => {
        // Keywords need no escape where only a field can follow.
        const escaped = fields.has(field) || !isKeyword(field) ? field : `__${field}__`;
        const found = fields.get(escaped);
        return found && celTypeOf(found, `${name}.${escaped}`);
      },
    };
  };
}

/** Returns the type of a field, item, key or value. */
export function partOf({ shape }: SchemaType, part: string): SchemaType | undefined {
  switch (shape.kind) {
    case 'list':
      return part === '@idx' || part === '@items' || part === '@values' ? shape.items : undefined;
    case 'map':
      return part === '@elem' || part === '@values' || part === '@items' ? shape.values : undefined;
    case 'struct':
      return shape.fields.get(part);
    default:
      return undefined;
  }
}
