import type { CustomResourceConversion } from '@pintle/kinds/apiextensions/v1';
import type { JsonObject } from '@pintle/machinery/json';
import type { ColumnOptions, ResourceOptions, ResourceSchema, Rule, VersionOptions } from '@pintle/operator';
import { SourceError, type SourceLocation } from '../errors.ts';
import { FOREIGN_TAGS, jsonOf, pairsOf, type Tag } from '../sources/tags.ts';
import { applyDoc, ruleOf } from './apply-tags.ts';
import type { Declaration } from './source-file.ts';
import { type Field, flattened, type TypeReader } from './type-reader.ts';

interface SharedOptions extends ResourceOptions {
  readonly conversion?: CustomResourceConversion;
}

/** One version of a resource, as an interface with `@resource` describes it. */
export interface FoundVersion {
  readonly shared: SharedOptions;
  readonly name: string;
  readonly options: VersionOptions;
  readonly isStorage: boolean;
  readonly location: SourceLocation;
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

export function isResource({ doc }: Declaration): boolean {
  return doc.tags.some(({ name }) => name === 'resource');
}

/** Throws SourceError for types and tags that a CRD cannot express. */
export function readVersion(declaration: Declaration, reader: TypeReader): FoundVersion {
  const { doc, file, location } = declaration;
  const fileTag = (name: string): string | undefined => file.doc.tags.find((tag) => tag.name === name)?.value;
  const names = pairsOf(doc.tags.find(({ name }) => name === 'resource')!).pairs;
  const group = names.get('group') ?? fileTag('groupName');
  const version = names.get('version') ?? fileTag('versionName');
  if (group === undefined || version === undefined)
    throw new SourceError(location, '@resource needs group= and version=, or @groupName and @versionName in its file');
  const shared: Draft<SharedOptions> = { group, kind: names.get('kind') ?? declaration.name };
  readNames(names, shared, location);
  const options: Draft<VersionOptions> = doc.description === undefined ? {} : { description: doc.description };
  const root: JsonObject = {};
  for (const tag of doc.tags) readTag(tag, shared, options, root);
  readFields(reader.fieldsOf(declaration, ''), options, root);
  if (Object.keys(root).length > 0) options.schema = root as NonNullable<VersionOptions['schema']>;
  return {
    shared,
    name: version,
    options,
    isStorage: doc.tags.some(({ name }) => name === 'storageVersion'),
    location,
  };
}

const TEXTS = ['plural', 'singular', 'listKind'] as const;
const LISTS = ['shortNames', 'categories'] as const;

function readNames(names: ReadonlyMap<string, string>, shared: Draft<SharedOptions>, location: SourceLocation): void {
  const known = new Set<string>(['group', 'version', 'kind', 'scope', ...TEXTS, ...LISTS]);
  for (const name of names.keys())
    if (!known.has(name)) throw new SourceError(location, `@resource has no option ${name}=`);
  for (const name of TEXTS) if (names.has(name)) shared[name] = names.get(name)!;
  for (const name of LISTS) if (names.has(name)) shared[name] = names.get(name)!.split(/[,;]/);
  const scope = names.get('scope');
  if (scope === undefined) return;
  if (scope !== 'Namespaced' && scope !== 'Cluster') throw new SourceError(location, 'scope= is Namespaced or Cluster');
  shared.scope = scope;
}

function readTag(tag: Tag, shared: Draft<SharedOptions>, options: Draft<VersionOptions>, root: JsonObject): void {
  switch (tag.name) {
    case 'resource':
    case 'storageVersion':
    case 'groupName':
    case 'versionName':
      return;
    case 'description':
      options.description = tag.value.startsWith('"') ? String(jsonOf(tag.value, tag.name, tag.location)) : tag.value;
      return;
    case 'printColumn':
      options.columns = [...(options.columns ?? []), columnOf(tag)];
      return;
    case 'subresource':
      readSubresource(tag, options);
      return;
    case 'selectableField':
      options.selectableFields = [...(options.selectableFields ?? []), tag.value];
      return;
    case 'unservedVersion':
      options.served = false;
      return;
    case 'deprecatedVersion':
      options.deprecated = tag.value === '' ? true : tag.value.replace(/^"(.*)"$/s, '$1');
      return;
    case 'rule':
      options.rules = [...(options.rules ?? []), ruleOf(tag) as Rule];
      return;
    case 'label':
    case 'annotation': {
      const [key = '', ...value] = tag.value.split('=');
      const word = `${tag.name}s` as const;
      const text = value.join('=');
      shared[word] = {
        ...shared[word],
        [key]: /^".*"$/s.test(text) ? String(jsonOf(text, tag.name, tag.location)) : text,
      };
      return;
    }
    case 'conversion':
      shared.conversion = jsonOf(tag.value, tag.name, tag.location) as unknown as CustomResourceConversion;
      return;
    case 'schema':
      Object.assign(root, jsonOf(tag.value, tag.name, tag.location));
      return;
    default:
      if (!FOREIGN_TAGS.has(tag.name))
        throw new SourceError(tag.location, `@${tag.name} is not a known tag of a resource`);
  }
}

function columnOf(tag: Tag): ColumnOptions {
  const { pairs } = pairsOf(tag);
  const jsonPath = pairs.get('jsonPath') ?? pairs.get('JSONPath');
  const [name, type] = [pairs.get('name'), pairs.get('type')];
  if (name === undefined || type === undefined || jsonPath === undefined)
    throw new SourceError(tag.location, '@printColumn needs name=, type= and jsonPath=');
  const [format, description, priority] = ['format', 'description', 'priority'].map((word) => pairs.get(word));
  return {
    name,
    type: type as ColumnOptions['type'],
    jsonPath,
    ...(format !== undefined && { format: format as NonNullable<ColumnOptions['format']> }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority: Number(priority) }),
  };
}

function readSubresource(tag: Tag, options: Draft<VersionOptions>): void {
  const { pairs, rest } = pairsOf(tag);
  if (rest[0] === 'none') options.subresources = {};
  else if (rest[0] === 'status') options.subresources = { ...options.subresources, status: {} };
  else if (rest[0] === 'scale') {
    const specReplicasPath = pairs.get('specReplicasPath') ?? pairs.get('specpath');
    const statusReplicasPath = pairs.get('statusReplicasPath') ?? pairs.get('statuspath');
    const labelSelectorPath = pairs.get('labelSelectorPath') ?? pairs.get('selectorpath');
    if (specReplicasPath === undefined || statusReplicasPath === undefined)
      throw new SourceError(tag.location, '@subresource scale needs specReplicasPath= and statusReplicasPath=');
    options.scale = {
      specReplicasPath,
      statusReplicasPath,
      ...(labelSelectorPath !== undefined && { labelSelectorPath }),
    };
  } else throw new SourceError(tag.location, '@subresource is status, scale or none');
}

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function readFields(fields: readonly Field[], options: Draft<VersionOptions>, root: JsonObject): void {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const field of fields) {
    const { name, schema, isRequired, doc, location } = field;
    const isExplicit = doc.tags.some((tag) => tag.name === 'required');
    if (name === 'spec' || name === 'status') options[name] = standardSchema(schema, isRequired);
    else if (!IDENTITY.has(name)) properties[name] = flattened(schema, location);
    else if (doc.description !== undefined || doc.tags.length > 0) properties[name] = identitySchema(field);
    if (isExplicit || (isRequired && !IDENTITY.has(name) && name !== 'status' && (name !== 'spec' || isExplicit)))
      required.push(name);
  }
  if (Object.keys(properties).length > 0) root.properties = properties;
  // A schema that sets `required` replaces the default, so it lists all required fields.
  if (required.length > 0) {
    const hasSpec = fields.some(({ name, isRequired }) => name === 'spec' && isRequired);
    root.required = fields.flatMap(({ name }) =>
      required.includes(name) || (name === 'spec' && hasSpec) ? [name] : [],
    );
  }
  // Explicit subresources include the status.
  if (options.subresources !== undefined && options.scale !== undefined)
    options.subresources = { ...options.subresources, scale: { ...options.scale } };
}

/** Returns the schema of metadata, apiVersion or kind. Of metadata, servers read only these keywords. */
function identitySchema({ name, schema, doc, location }: Field): JsonObject {
  if (name !== 'metadata') return flattened(schema, location);
  const plain: JsonObject = { 'x-pintle-exactly': { type: 'object' } };
  applyDoc(plain, doc);
  return flattened(plain, location);
}

/** Wraps a schema as a Standard JSON Schema, which `defineResource` takes. */
function standardSchema(schema: JsonObject, isRequired: boolean): ResourceSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'pintle',
      jsonSchema: { input: () => schema },
      validate: (value) => (value === undefined && isRequired ? { issues: [{ message: 'required' }] } : { value }),
    },
  };
}
