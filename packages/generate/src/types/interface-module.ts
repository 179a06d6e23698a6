import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, isJsonObject } from '@pintle/machinery/json';
import { block, propertyKey, quoted } from './literal.ts';
import { rootKeywords } from './resource-module.ts';
import { orderedNames } from './zod-expression.ts';

/** Returns a module of interfaces with JSDoc tags, from which `generate crds` generates the same CRD. */
export function interfaceModule(definition: CustomResourceDefinition): string {
  const { versions } = definition.spec;
  const parts = versions.map((version) => versionText(definition, version, versions.length > 1));
  return `${parts.join('\n\n')}\n`;
}

function versionText(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  isMany: boolean,
): string {
  const { kind } = definition.spec.names;
  const name = isMany ? kind + version.name.charAt(0).toUpperCase() + version.name.slice(1) : kind;
  const root = version.schema?.openAPIV3Schema ?? {};
  const { spec, status } = root.properties ?? {};
  const isRequired = (root.required?.includes('spec') ?? false) || spec?.default !== undefined;
  const members = [
    ...(spec ? [member('spec', spec, isRequired, false)] : []),
    ...(status ? [member('status', status, false, false)] : []),
  ];
  const tags = [...resourceTags(definition, version, isMany)];
  return `${comment(tags, 0)}export interface ${name} ${block('{', members, '}', 0).replaceAll(/,$/gm, ';')}`;
}

function* resourceTags(
  { metadata, spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  isMany: boolean,
): Generator<string> {
  const { kind, plural, singular = kind.toLowerCase(), listKind = `${kind}List`, shortNames, categories } = spec.names;
  const lists = `${shortNames ? ` shortNames=${shortNames}` : ''}${categories ? ` categories=${categories}` : ''}`;
  const names = `kind=${kind} plural=${plural} singular=${singular} listKind=${listKind} scope=${spec.scope}${lists}`;
  yield `resource group=${spec.group} version=${version.name} ${names}`;
  const root = version.schema?.openAPIV3Schema ?? {};
  if (root.description !== undefined) yield `description ${json(root.description)}`;
  if (isMany && version.storage) yield 'storageVersion';
  if (!version.served) yield 'unservedVersion';
  if (version.deprecated) yield `deprecatedVersion ${version.deprecationWarning ?? ''}`.trimEnd();
  for (const rule of root['x-kubernetes-validations'] ?? []) yield `rule ${json(rule)}`;
  const keywords = rootKeywords(root);
  if (Object.keys(keywords).length > 0) yield `schema ${json(keywords)}`;
  const { status, scale } = version.subresources ?? {};
  if ((status !== undefined) !== (root.properties?.status !== undefined))
    yield `subresource ${status ? 'status' : 'none'}`;
  if (scale !== undefined) yield `subresource scale ${pairs(scale)}`;
  for (const column of version.additionalPrinterColumns ?? []) yield `printColumn ${pairs(column)}`;
  for (const { jsonPath } of version.selectableFields ?? []) yield `selectableField ${jsonPath}`;
  for (const [key, value] of Object.entries(metadata.labels ?? {})) yield `label ${key}=${written(value)}`;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) yield `annotation ${key}=${written(value)}`;
  if (spec.conversion && spec.conversion.strategy !== 'None') yield `conversion ${json(spec.conversion)}`;
}

function pairs(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${json(String(value))}`)
    .join(' ');
}

/** Returns the value as it is, or as JSON where a tag would read it differently. */
function written(value: string): string {
  return /^[^"\s*](?:[^*\n]*[^*\s])?$/.test(value) ? value : json(value);
}

/** Returns JSON that cannot end a comment. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('*/', '*\\/');
}

function comment(all: readonly string[], depth: number): string {
  if (all.length === 0) return '';
  const indent = '  '.repeat(depth);
  // Tags that are not JSON must not end the comment either.
  const tags = all.map((tag) => tag.replaceAll('*/', '*\\/').replaceAll(/[\n\r\u2028\u2029]/g, ' '));
  const [only] = tags;
  if (tags.length === 1) return `/** @${only} */\n${indent}`;
  return `/**\n${tags.map((tag) => `${indent} * @${tag}\n`).join('')}${indent} */\n${indent}`;
}

function member(name: string, schema: JSONSchemaProps, isRequired: boolean, isExplicit: boolean, depth = 1): string {
  const { type, tags } = typeOf(schema, depth);
  const own = isExplicit ? [...tags, 'required'] : tags;
  const key = name === '__proto__' ? "'__proto__'" : propertyKey(name);
  return `${comment(own, depth)}${key}${isRequired ? '' : '?'}: ${type}`;
}

interface Typed {
  readonly type: string;
  readonly tags: readonly string[];
}

/** Returns the type of a schema, and tags for the keywords that the type does not imply. */
function typeOf(schema: JSONSchemaProps, depth: number): Typed {
  const { text, keywords, below } = shapeOf(schema, depth);
  const { properties: _p, items: _i, additionalProperties: _a, required: _r, ...own } = schema;
  const rest = below.isPart ? own : partsIn(schema, own);
  const wanted = below.required === undefined ? rest : { ...rest, required: below.required };
  const tags = tagsFor(keywords, wanted);
  return { type: text, tags: [...tags, ...below.tags] };
}

function partsIn(schema: JSONSchemaProps, own: JSONSchemaProps): JSONSchemaProps {
  const { properties, items, additionalProperties, required } = schema;
  return {
    ...own,
    ...(properties !== undefined && { properties }),
    ...(items !== undefined && { items }),
    ...(additionalProperties !== undefined && { additionalProperties }),
    ...(required !== undefined && { required }),
  };
}

interface Shape {
  readonly text: string;
  /** Keywords that the type implies. */
  readonly keywords: JSONSchemaProps;
  readonly below: { readonly tags: readonly string[]; readonly isPart: boolean; readonly required?: string[] };
}

const NOTHING = { tags: [], isPart: false };

function shapeOf(schema: JSONSchemaProps, depth: number): Shape {
  const { type, properties = {}, items, additionalProperties: values, enum: choices } = schema;
  if (Object.keys(properties).length > 0) return fieldsOf(schema, depth);
  if (items !== undefined && isJsonObject(items)) {
    const { type: item, tags } = typeOf(items as JSONSchemaProps, depth);
    return {
      text: `Array<${item}>`,
      keywords: { type: 'array' },
      below: { tags: prefixed('items', tags), isPart: true },
    };
  }
  if (isMap(values)) {
    const { type: value, tags } = typeOf(values, depth);
    const below = { tags: prefixed('values', tags), isPart: true };
    if (value !== 'unknown') return { text: `Record<string, ${value}>`, keywords: { type: 'object' }, below };
  }
  if (type === 'string' && choices?.length && choices.every((choice) => typeof choice === 'string'))
    return { text: choices.map(quoted).join(' | '), keywords: { type, enum: choices }, below: NOTHING };
  if (schema['x-kubernetes-int-or-string'])
    return {
      text: 'number | string',
      keywords: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
      below: NOTHING,
    };
  if (type === 'string' || type === 'boolean') return { text: type, keywords: { type }, below: NOTHING };
  if (type === 'integer' || type === 'number') return { text: 'number', keywords: { type: 'number' }, below: NOTHING };
  if (type === 'object')
    return { text: 'object', keywords: { type, 'x-kubernetes-preserve-unknown-fields': true }, below: NOTHING };
  return { text: 'unknown', keywords: { 'x-kubernetes-preserve-unknown-fields': true }, below: NOTHING };
}

function isMap(values: JSONSchemaProps['additionalProperties']): values is JSONSchemaProps {
  return typeof values === 'object' && Object.keys(values).length > 0;
}

function prefixed(prefix: string, tags: readonly string[]): string[] {
  return tags.map((tag) => `${prefix}.${tag}`);
}

function fieldsOf(schema: JSONSchemaProps, depth: number): Shape {
  const { required = [], properties = {} } = schema;
  const names = orderedNames(schema);
  const members = names.map((name) => {
    const field = getOwn(properties, name)!;
    const isRequired = required.includes(name);
    return member(name, field, isRequired, isRequired && field.default !== undefined, depth + 1);
  });
  const isExplicit = deepEqual(
    names.filter((name) => required.includes(name)),
    [...required],
  );
  const below = { tags: [], isPart: true, ...(!isExplicit && { required: [...required] }) };
  const text = block('{', members, '}', depth).replaceAll(/,$/gm, ';');
  return { text, keywords: { type: 'object' }, below };
}

const PLAIN = [
  ...['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties'],
  ...['maxProperties', 'description', 'title', 'pattern', 'format', 'default'],
] as const;

/** Returns a tag for each keyword; when one has no tag, `@schema` with all keywords. */
function tagsFor(keywords: JSONSchemaProps, wanted: JSONSchemaProps): string[] {
  const tags: string[] = [];
  const covered: Record<string, unknown> = { ...keywords };
  const take = (word: keyof JSONSchemaProps, tag: string): void => {
    tags.push(tag);
    covered[word] = wanted[word];
  };
  if (keywords.type === 'number' && wanted.type === 'integer') take('type', 'integer');
  for (const word of PLAIN)
    if (wanted[word as 'format'] !== undefined) take(word as 'format', `${word} ${json(wanted[word as 'format'])}`);
  if (wanted.nullable) take('nullable', 'nullable');
  if (wanted.exclusiveMinimum) take('exclusiveMinimum', 'exclusiveMinimum');
  if (wanted.exclusiveMaximum) take('exclusiveMaximum', 'exclusiveMaximum');
  const listType = wanted['x-kubernetes-list-type'];
  if (listType !== undefined) take('x-kubernetes-list-type', `listType ${listType}`);
  const keys = wanted['x-kubernetes-list-map-keys'];
  if (keys !== undefined) take('x-kubernetes-list-map-keys', `listMapKey ${keys}`);
  const mapType = wanted['x-kubernetes-map-type'];
  if (mapType !== undefined) take('x-kubernetes-map-type', `mapType ${mapType}`);
  for (const rule of wanted['x-kubernetes-validations'] ?? []) take('x-kubernetes-validations', `rule ${json(rule)}`);
  for (const word of ['preserve-unknown-fields', 'embedded-resource'] as const) {
    const whole = `x-kubernetes-${word}` as const;
    if (wanted[whole] && !keywords[whole])
      take(whole, word === 'embedded-resource' ? 'embeddedResource' : 'preserveUnknownFields');
  }
  return deepEqual(covered, wanted) ? tags : [`exactly ${json(wanted)}`];
}
