import { compareUtf8, type JsonValue } from '../../json/index.ts';
import { objectMetaSchema, type Schema, schemaNodeOf } from '../../schema/index.ts';
import { goJson } from '../set/path-element.ts';

/**
 * The type of a value as far as ownership needs it: the kinds of values allowed, and how each is shared. Several kinds
 * are allowed where the schema does not choose.
 */
export interface TypeView {
  readonly scalar: ScalarKind | undefined;
  readonly list: ListView | undefined;
  readonly map: MapView | undefined;
}

export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface ListView {
  readonly as: 'list';
  /** An atomic list has one owner; the items of a set or a map have one each. */
  readonly sharing: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  /** The keys in the order of an item's identity. */
  readonly sortedKeys: readonly KeyView[];
  readonly item: TypeView;
}

interface KeyView {
  readonly name: string;
  /** The name as JSON. */
  readonly quoted: string;
  /** The default of the key in an item that lacks it, as JSON. */
  readonly missing: string | undefined;
}

export interface MapView {
  readonly as: 'map';
  readonly isAtomic: boolean;
  /** The fields the schema names. */
  readonly fields: ReadonlyMap<string, TypeView>;
  /** The type of values under any other name; absent where no other name is allowed. */
  readonly rest: TypeView | undefined;
}

/** Returns the view of a schema, or of an unknown type; always the same one for the same schema. */
export function viewOf(schema: Schema | undefined): TypeView {
  return schema === undefined ? deduced : view(schema, false);
}

/**
 * Returns the type of a field. A name that the map does not allow may be in an old object: its type is deduced from the
 * value.
 */
export function fieldView(map: MapView, name: string): TypeView {
  return map.fields.get(name) ?? map.rest ?? deduced;
}

interface Unfinished {
  scalar: ScalarKind | undefined;
  list: ListView | undefined;
  map: MapView | undefined;
}

/** The contents are one value: raw extensions and the items of lists without a schema. */
const untypedAtomic: Unfinished = { scalar: 'untyped', list: undefined, map: undefined };
untypedAtomic.list = { as: 'list', sharing: 'atomic', keys: [], sortedKeys: [], item: untypedAtomic };
untypedAtomic.map = { as: 'map', isAtomic: true, fields: new Map(), rest: untypedAtomic };

/** Without a schema the value decides: objects are shared by name, lists and scalars are one value. */
const deduced: Unfinished = { scalar: 'untyped', list: untypedAtomic.list, map: undefined };
deduced.map = { as: 'map', isAtomic: false, fields: new Map(), rest: deduced };

/** `preserveUnknownFields` applies to everything below, so a schema has two views. */
const plainViews = new WeakMap<Schema, TypeView>();
const preservingViews = new WeakMap<Schema, TypeView>();

function view(schema: Schema, isInsidePreserving: boolean): TypeView {
  const preserves = isInsidePreserving || schema.preserveUnknownFields === true;
  const views = preserves ? preservingViews : plainViews;
  return views.get(schema) ?? build(schema, preserves, views);
}

function build(schema: Schema, preserves: boolean, views: WeakMap<Schema, TypeView>): TypeView {
  const made: Unfinished = { scalar: undefined, list: undefined, map: undefined };
  views.set(schema, made);
  if (schema.goType === 'runtime.RawExtension') return Object.assign(made, untypedAtomic);
  made.scalar = scalarOf(schema);
  if (schema.goType === 'resource.Quantity') return made;
  if (schema.type === 'array' || schema.type === undefined) made.list = listOf(schema, preserves);
  if (schema.type === 'object' || schema.type === undefined) made.map = mapOf(schema, preserves);
  return made;
}

function scalarOf({ type, format = '' }: Schema): ScalarKind | undefined {
  switch (type) {
    case 'array':
    case 'object':
      return undefined;
    case 'integer':
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      return format === '' || format === 'byte' ? 'string' : 'untyped';
    default:
      return 'untyped';
  }
}

function listOf(schema: Schema, preserves: boolean): ListView {
  const { sharing, keys } = sharingOf(schema);
  const itemProperties = schema.items && schemaNodeOf(schema.items).properties;
  return {
    as: 'list',
    sharing,
    keys,
    sortedKeys: [...keys].sort(compareUtf8).map((name) => ({
      name,
      quoted: goJson(name),
      missing: missingJson(itemProperties?.get(name)?.schema),
    })),
    item: schema.items === undefined ? untypedAtomic : view(schema.items, preserves),
  };
}

function missingJson(schema: Schema | undefined): string | undefined {
  const value = missingValue(schema);
  return value === undefined ? undefined : goJson(value);
}

/** A field that Go always prints has its zero value where it is omitted: as a key it identifies items by the zero value. */
function missingValue(schema: Schema | undefined): JsonValue | undefined {
  if (schema?.zero !== 'emit' || schema.default !== undefined) return schema?.default ?? undefined;
  switch (schema.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    default:
      return undefined;
  }
}

/** A list of a built-in kind without a list type is shared as its patch strategy specifies. */
function sharingOf(schema: Schema): Pick<ListView, 'sharing' | 'keys'> {
  if (schema.listType === 'map') return { sharing: 'map', keys: schema.listMapKeys ?? [] };
  if (schema.listType !== undefined) return { sharing: schema.listType, keys: [] };
  if (schema.patchStrategy?.split(',').includes('merge') !== true) return { sharing: 'atomic', keys: [] };
  return schema.patchMergeKey === undefined
    ? { sharing: 'set', keys: [] }
    : { sharing: 'map', keys: [schema.patchMergeKey] };
}

function mapOf(schema: Schema, preserves: boolean): MapView {
  const node = schemaNodeOf(schema);
  const fields = new Map<string, TypeView>();
  for (const [name, property] of node.properties) fields.set(name, view(property.schema, preserves));
  if (schema.embeddedResource === true) for (const [name, field] of objectFields) fields.set(name, field);
  return { as: 'map', isAtomic: schema.mapType === 'atomic', fields, rest: restOf(schema, fields, preserves) };
}

function restOf(schema: Schema, fields: ReadonlyMap<string, TypeView>, preserves: boolean): TypeView | undefined {
  if (typeof schema.additionalProperties === 'object') return view(schema.additionalProperties, preserves);
  if (schema.additionalProperties !== undefined) return schema.additionalProperties ? deduced : undefined;
  return preserves || fields.size === 0 ? deduced : undefined;
}

const { finalizers, ownerReferences, managedFields } = objectMetaSchema.properties!;

/** The sharing of metadata, the same for every kind. */
export const sharedMetadataSchema: Schema = {
  ...objectMetaSchema,
  properties: {
    ...objectMetaSchema.properties,
    finalizers: { ...finalizers!, listType: 'set' },
    managedFields: { ...managedFields!, listType: 'atomic' },
    ownerReferences: {
      ...ownerReferences!,
      listType: 'map',
      listMapKeys: ['uid'],
      items: { ...ownerReferences!.items!, mapType: 'atomic' },
    },
  },
};

/** Fields of every object, and so of every embedded object. */
const objectFields: ReadonlyMap<string, TypeView> = new Map([
  ['apiVersion', view({ type: 'string' }, false)],
  ['kind', view({ type: 'string' }, false)],
  ['metadata', view(sharedMetadataSchema, false)],
]);
