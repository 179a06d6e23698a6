import { stringifyJson } from '../json/index.ts';
import type { JsonValue } from '../json/value.ts';
import type { ListType, MapType, Schema } from './schema.ts';

/** A default, and the bytes that it adds to the JSON of the value it is set in. */
export interface SchemaDefault {
  readonly value: JsonValue;
  readonly bytes: number;
}

/**
 * A schema prepared for walking values: lookups by name that ignore prototypes, and the facts that walkers need of each
 * place in an object. One node exists per schema, so a cyclic schema gives a cyclic graph of nodes.
 */
export interface SchemaNode {
  readonly schema: Schema;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Other names than the properties are allowed (`additionalProperties` is set, in whatever form). */
  readonly allowsOtherNames: boolean;
  /** The schema of the values under those other names; absent when it is not specified. */
  readonly values: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  /** Replaces a null that is not allowed. */
  readonly fallback: SchemaDefault | undefined;
  /** The properties that have a default; the bytes include the name. */
  readonly defaults: readonly (readonly [name: string, fallback: SchemaDefault])[];
  readonly nullable: boolean;
  readonly preservesUnknown: boolean;
  readonly isEmbeddedResource: boolean;
}

/** Returns the node of a schema, always the same one for the same schema. */
export function schemaNodeOf(schema: Schema): SchemaNode {
  return nodes.get(schema) ?? build(schema);
}

/** Returns the schema of a field of that name, a property or a value of a map; `undefined` when it is not specified. */
export function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const node = schemaNodeOf(schema);
  return (node.properties.get(name) ?? node.values)?.schema;
}

export function itemSchema(schema: Schema): Schema | undefined {
  return schema.items;
}

/** Returns how a list is merged. Default: it is replaced as a whole. */
export function listTypeOf(schema: Schema | undefined): ListType {
  return schema?.listType ?? 'atomic';
}

export function listMapKeysOf(schema: Schema | undefined): readonly string[] {
  return schema?.listMapKeys ?? [];
}

/** Returns how an object is merged. Default: field by field. */
export function mapTypeOf(schema: Schema | undefined): MapType {
  return schema?.mapType ?? 'granular';
}

/** Returns a function that reports whether a schema, or any schema of the values below it, matches. Each graph is walked once. */
export function hasBelow(matches: (schema: Schema) => boolean): (node: SchemaNode) => boolean {
  const known = new WeakMap<SchemaNode, boolean>();
  return (node) => {
    const answer = known.get(node) ?? reaches(node, matches);
    known.set(node, answer);
    return answer;
  };
}

interface UnfinishedNode extends SchemaNode {
  values: SchemaNode | undefined;
  items: SchemaNode | undefined;
}

const nodes = new WeakMap<Schema, SchemaNode>();

function build(schema: Schema): SchemaNode {
  const properties = new Map<string, SchemaNode>();
  const defaults: (readonly [string, SchemaDefault])[] = [];
  const node: UnfinishedNode = {
    schema,
    properties,
    allowsOtherNames: schema.additionalProperties !== undefined,
    values: undefined,
    items: undefined,
    fallback: fallbackOf(schema),
    defaults,
    nullable: schema.nullable === true,
    preservesUnknown: schema.preserveUnknownFields === true,
    isEmbeddedResource: schema.embeddedResource === true,
  };
  nodes.set(schema, node);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const propertyNode = schemaNodeOf(property);
    properties.set(name, propertyNode);
    const { fallback } = propertyNode;
    if (fallback === undefined) continue;
    const bytes = fallback.bytes + Buffer.byteLength(JSON.stringify(name));
    defaults.push([name, { value: fallback.value, bytes }]);
  }
  if (typeof schema.additionalProperties === 'object') node.values = schemaNodeOf(schema.additionalProperties);
  if (schema.items !== undefined) node.items = schemaNodeOf(schema.items);
  return node;
}

/** The least size that a value counts as, however short its JSON is: `{}` takes more memory than two bytes. */
const MIN_VALUE_BYTES = 12;

function fallbackOf({ default: value = null }: Schema): SchemaDefault | undefined {
  if (value === null) return undefined;
  return { value, bytes: Math.max(Buffer.byteLength(stringifyJson(value)), MIN_VALUE_BYTES * valuesIn(value)) };
}

function valuesIn(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const member of Object.values(value)) values += valuesIn(member);
  return values;
}

function reaches(start: SchemaNode, matches: (schema: Schema) => boolean): boolean {
  const seen = new Set([start]);
  for (const node of seen) {
    if (matches(node.schema)) return true;
    for (const property of node.properties.values()) seen.add(property);
    if (node.values !== undefined) seen.add(node.values);
    if (node.items !== undefined) seen.add(node.items);
  }
  return false;
}
