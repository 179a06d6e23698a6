import type { JsonValue } from '../json/value.ts';
import type { ListType, MapType, Schema } from './schema.ts';

/**
 * A schema prepared for walking values: lookups by name without prototypes in the way, and everything a walker asks
 * about a place in an object. One node exists per schema, so a cyclic schema gives a cyclic graph of nodes.
 */
export interface SchemaNode {
  readonly schema: Schema;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Any name may stand beside the properties (`additionalProperties` was given, in whatever form). */
  readonly allowsOtherNames: boolean;
  /** What the values under those other names look like; absent when nothing is said about them. */
  readonly values: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  /** The properties that have a default. */
  readonly defaults: readonly (readonly [name: string, value: JsonValue])[];
  readonly nullable: boolean;
  readonly preservesUnknown: boolean;
  readonly isEmbeddedResource: boolean;
}

/** The node of a schema: always the same one for the same schema. */
export function nodeOf(schema: Schema): SchemaNode {
  return nodes.get(schema) ?? build(schema);
}

/** What a field of that name looks like, be it a property or a map's value; `undefined` when the schema is silent. */
export function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const node = nodeOf(schema);
  return (node.properties.get(name) ?? node.values)?.schema;
}

export function itemSchema(schema: Schema): Schema | undefined {
  return schema.items;
}

/** How a list is merged. A list that does not say is replaced as a whole. */
export function listTypeOf(schema: Schema | undefined): ListType {
  return schema?.listType ?? 'atomic';
}

export function listMapKeysOf(schema: Schema | undefined): readonly string[] {
  return schema?.listMapKeys ?? [];
}

/** How an object is merged. An object that does not say is merged field by field. */
export function mapTypeOf(schema: Schema | undefined): MapType {
  return schema?.mapType ?? 'granular';
}

/** Says of every schema whether it, or anything in the values below it, has a property; each graph is walked once. */
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
  const defaults: (readonly [string, JsonValue])[] = [];
  const node: UnfinishedNode = {
    schema,
    properties,
    allowsOtherNames: schema.additionalProperties !== undefined,
    values: undefined,
    items: undefined,
    defaults,
    nullable: schema.nullable === true,
    preservesUnknown: schema.preserveUnknownFields === true,
    isEmbeddedResource: schema.embeddedResource === true,
  };
  nodes.set(schema, node);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    properties.set(name, nodeOf(property));
    if (property.default !== undefined && property.default !== null) defaults.push([name, property.default]);
  }
  if (typeof schema.additionalProperties === 'object') node.values = nodeOf(schema.additionalProperties);
  if (schema.items !== undefined) node.items = nodeOf(schema.items);
  return node;
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
