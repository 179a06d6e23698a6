import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '@pintle/kinds/apiextensions/v1';
import { deepEqual } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { pluralOf } from '@pintle/operator';
import { block, Code, literal, propertyKey, quoted } from './literal.ts';
import { ZodWriter } from './zod-expression.ts';

/** Returns a module that defines the resource of a CRD: descriptor, types and Zod schemas under one name. */
export function resourceModule(definition: CustomResourceDefinition): string {
  const { kind } = definition.spec.names;
  const { versions } = definition.spec;
  const writer = new ZodWriter();
  const options = [...sharedOptions(definition)];
  if (versions.length === 1)
    options.push(`version: ${quoted(versions[0]!.name)}`, ...versionOptions(versions[0]!, writer, 1));
  else options.push(...manyVersions(versions, writer));
  const types = [`export type ${kind} = typeof ${kind}.Type;`];
  if (versions.length > 1)
    for (const { name } of versions)
      types.push(`export type ${kind}${capital(name)} = (typeof ${kind}.versions)[${quoted(name)}]['Type'];`);
  const call = `export const ${kind} = defineResource(${block('{', options, '}', 0)});`;
  const helpers = ['defineResource', ...writer.helpers].sort();
  const usesZod = call.includes('z.');
  return [
    `import { ${helpers.join(', ')} } from '@pintle/operator';`,
    ...(usesZod ? ["import { z } from 'zod';"] : []),
    '',
    call,
    ...types,
    '',
  ].join('\n');
}

function* sharedOptions({ metadata, spec }: CustomResourceDefinition): Generator<string> {
  const { kind, plural, singular, listKind, shortNames, categories } = spec.names;
  yield `group: ${quoted(spec.group)}`;
  yield `kind: ${quoted(kind)}`;
  if (plural !== pluralOf(kind)) yield `plural: ${quoted(plural)}`;
  if (singular !== undefined && singular !== kind.toLowerCase()) yield `singular: ${quoted(singular)}`;
  if (listKind !== undefined && listKind !== `${kind}List`) yield `listKind: ${quoted(listKind)}`;
  if (shortNames?.length) yield `shortNames: ${literal(shortNames)}`;
  if (categories?.length) yield `categories: ${literal(categories)}`;
  if (spec.scope !== 'Namespaced') yield `scope: ${quoted(spec.scope)}`;
  if (metadata.labels !== undefined) yield `labels: ${literal(metadata.labels, 1)}`;
  if (metadata.annotations !== undefined) yield `annotations: ${literal(metadata.annotations, 1)}`;
  const { conversion = { strategy: 'None' } } = spec;
  // Several versions without a converter need an explicit strategy.
  if (conversion.strategy !== 'None' || spec.versions.length > 1) yield `conversion: ${literal(conversion, 1)}`;
}

function manyVersions(versions: readonly CustomResourceDefinitionVersion[], writer: ZodWriter): string[] {
  const each = versions.map(
    (version) => `${propertyKey(version.name)}: ${block('{', [...versionOptions(version, writer, 3)], '}', 2)}`,
  );
  const storage = versions.find((version) => version.storage)?.name ?? versions[0]!.name;
  return [`versions: ${block('{', each, '}', 1)}`, `storage: ${quoted(storage)}`];
}

function* versionOptions(
  version: CustomResourceDefinitionVersion,
  writer: ZodWriter,
  depth: number,
): Generator<string> {
  const root = version.schema?.openAPIV3Schema ?? {};
  if (root.description !== undefined) yield `description: ${quoted(root.description)}`;
  if (!version.served) yield 'served: false';
  if (version.deprecated) yield `deprecated: ${literal(version.deprecationWarning ?? true)}`;
  const { spec, status } = root.properties ?? {};
  const isSpecRequired = root.required?.includes('spec') ?? false;
  if (spec !== undefined)
    yield `spec: ${writer.write(spec, depth)}${isSpecRequired || spec.default !== undefined ? '' : '.optional()'}`;
  if (status !== undefined) yield `status: ${writer.write(status, depth)}`;
  const { 'x-kubernetes-validations': rules } = root;
  if (rules !== undefined) yield `rules: ${literal(rules, depth)}`;
  const keywords = rootKeywords(root);
  if (Object.keys(keywords).length > 0) yield `schema: ${literal(keywords, depth)}`;
  yield* subresourceOptions(version, status !== undefined, depth);
  const { additionalPrinterColumns: columns, selectableFields } = version;
  if (columns?.length) yield `columns: ${columnsText(columns, root, depth)}`;
  if (selectableFields?.length)
    yield `selectableFields: ${literal(
      selectableFields.map(({ jsonPath }) => jsonPath),
      depth,
    )}`;
}

/** Returns the columns. Paths outside of spec and status get a cast, since the compiler cannot check them. */
function columnsText(columns: readonly CustomResourceColumnDefinition[], root: JSONSchemaProps, depth: number): string {
  const written = columns.map((column) => {
    const { jsonPath } = column;
    return leadsSomewhere(jsonPath, root) ? column : { ...column, jsonPath: new Code(`${quoted(jsonPath)} as string`) };
  });
  return literal(written, depth);
}

function leadsSomewhere(path: string, root: JSONSchemaProps): boolean {
  const [start, first = '', ...names] = path.split('.');
  if (start !== '' || !['spec', 'status', 'metadata'].includes(first)) return false;
  if (first === 'metadata') return names.length === 1 && METADATA.has(names[0]!);
  let schema = root.properties?.[first];
  for (const name of names) schema = schema?.properties?.[name];
  return schema !== undefined;
}

const METADATA: ReadonlySet<string> = new Set(['name', 'namespace', 'generation', 'creationTimestamp', 'uid']);

function* subresourceOptions(
  { subresources = {} }: CustomResourceDefinitionVersion,
  hasStatus: boolean,
  depth: number,
): Generator<string> {
  const { status, scale } = subresources;
  if ((status !== undefined) !== hasStatus) yield `subresources: ${literal(subresources, depth)}`;
  else if (scale !== undefined) yield `scale: ${literal(scale, depth)}`;
}

const USUAL: Readonly<Record<string, JSONSchemaProps>> = table({
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
});
const DERIVED: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'x-kubernetes-validations',
]);

/** Returns the keywords of the root schema that spec and status do not imply. */
export function rootKeywords(root: JSONSchemaProps): JSONSchemaProps {
  const keywords: JSONSchemaProps = Object.fromEntries(Object.entries(root).filter(([word]) => !DERIVED.has(word)));
  const { spec, status: _status, ...others } = root.properties ?? {};
  const unusual = Object.entries(others).filter(([name, property]) => !deepEqual(property, USUAL[name]));
  if (unusual.length > 0) keywords.properties = Object.fromEntries(unusual);
  if (!deepEqual(root.required ?? [], derivedRequired(root, spec))) keywords.required = root.required ?? [];
  return keywords;
}

/** Returns the required fields as `defineResource` derives them: a spec that may be empty is not required. */
function derivedRequired(root: JSONSchemaProps, spec: JSONSchemaProps | undefined): readonly string[] {
  if (spec === undefined || !root.required?.includes('spec') || spec.default !== undefined) return [];
  const mayBeEmpty = spec.type === 'object' && !spec.nullable && !spec.required?.length && !spec.oneOf && !spec.anyOf;
  return mayBeEmpty ? [] : ['spec'];
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
