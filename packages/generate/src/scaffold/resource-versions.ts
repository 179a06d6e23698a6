import MagicString from 'magic-string';
import { GenerateError } from '../errors.ts';
import { type Node, nodesOf } from '../sources/syntax-tree.ts';
import { parsed } from './edit-module.ts';

/** Options that each version has separately. */
const OF_VERSION: ReadonlySet<string> = new Set(
  'spec status columns scale selectableFields rules schema subresources served deprecated'.split(' '),
);

/** Adds a version to a resource, as a copy of the stored one, unless it exists. Returns the module. */
export function addVersion(path: string, text: string, kind: string, version: string): string {
  const options = resourceOptions(path, text, kind);
  const versions = options.property('versions');
  if (versions === undefined) return withVersions(path, text, options, version);
  const present = objectAt(path, versions.value as Node);
  if (present.property(version) !== undefined) return text;
  const like = present.property(storageOf(path, options)) ?? present.properties[0];
  if (like === undefined) throw cannotEdit(path, 'its `versions` are empty; add one there');
  return withProperty(text, present, `${version}: ${textOf(text, like.value as Node)}`);
}

/** Adds conversions between the stored version of a resource and the others. Returns the module. */
export function addConversions(path: string, text: string, kind: string): string {
  const options = resourceOptions(path, text, kind);
  const versions = options.property('versions');
  if (versions === undefined) return text;
  const { properties } = objectAt(path, versions.value as Node);
  const hub = storageOf(path, options);
  const spokes = properties.filter((each) => keyOf(each) !== hub);
  const conversions = options.property('conversions');
  if (conversions === undefined) {
    const lines = spokes.map((each) => `    ${spoke(path, each)},\n`).join('');
    return withProperty(text, options, `conversions: {\n${lines}  }`);
  }
  const present = objectAt(path, conversions.value as Node);
  const missing = spokes.filter((each) => present.property(keyOf(each) ?? '') === undefined);
  return missing.length === 0
    ? text
    : addConversions(path, withProperty(text, present, spoke(path, missing[0]!)), kind);
}

/** Returns the first version that is not stored; `undefined` when the resource has one version only. */
export function otherVersion(path: string, text: string, kind: string): string | undefined {
  const options = resourceOptions(path, text, kind);
  const versions = options.property('versions');
  if (versions === undefined) return undefined;
  const hub = storageOf(path, options);
  return objectAt(path, versions.value as Node)
    .properties.map(keyOf)
    .find((name) => name !== undefined && name !== hub);
}

/** Returns conversions that keep the fields, for a version that is a copy. */
function spoke(path: string, version: Node): string {
  const own = objectAt(path, version.value as Node);
  const fields = ['spec', 'status'].filter((name) => own.property(name) !== undefined);
  const made = fields.map((name) => (name === 'status' ? '...(status && { status })' : name)).join(', ');
  const same = `({ ${fields.join(', ')} }) => ({ ${made} })`;
  return `${keyOf(version)}: {\n      toHub: ${same},\n      fromHub: ${same},\n    }`;
}

interface ObjectNode {
  readonly node: Node;
  readonly properties: readonly Node[];
  property(name: string): Node | undefined;
}

export function resourceOptions(path: string, text: string, kind: string): ObjectNode {
  for (const node of nodesOf(parsed(path, text))) {
    if (node.type !== 'CallExpression' || (node.callee as { name?: string }).name !== 'defineResource') continue;
    const options = objectAt(path, (node.arguments as Node[])[0]!);
    if ((options.property('kind')?.value as Node | undefined)?.value === kind) return options;
  }
  throw cannotEdit(path, `it has no \`defineResource({ kind: '${kind}', … })\`; add the version where that is`);
}

/** Returns the schema of `spec` in the version that is stored. */
export function storedSpec(path: string, options: ObjectNode): Node | undefined {
  const versions = options.property('versions');
  if (versions === undefined) return options.property('spec')?.value as Node | undefined;
  const stored = objectAt(path, versions.value as Node).property(storageOf(path, options));
  return stored && (objectAt(path, stored.value as Node).property('spec')?.value as Node | undefined);
}

function objectAt(path: string, node: Node): ObjectNode {
  if (node.type !== 'ObjectExpression') throw cannotEdit(path, 'the options of the resource are not an object literal');
  const properties = node.properties as Node[];
  return { node, properties, property: (name) => properties.find((each) => keyOf(each) === name) };
}

function storageOf(path: string, options: ObjectNode): string {
  const { value } = (options.property('storage')?.value ?? {}) as { value?: unknown };
  if (typeof value !== 'string') throw cannotEdit(path, 'it does not set the stored version');
  return value;
}

/** Replaces the options of one version by `versions` with two. */
function withVersions(path: string, text: string, options: ObjectNode, version: string): string {
  const first = ((options.property('version')?.value ?? {}) as { value?: unknown }).value;
  if (typeof first !== 'string') throw cannotEdit(path, 'it does not set a version');
  const { properties, node } = options;
  const own = properties.filter((each) => OF_VERSION.has(keyOf(each) ?? ''));
  if (own.some((each) => hasLongText(each)))
    throw cannotEdit(path, 'it has texts of several lines, whose indentation would change; add `versions` by hand');
  const shared = properties.filter((each) => !own.includes(each) && keyOf(each) !== 'version');
  const lines = (nodes: readonly Node[], by: string): string =>
    nodes.map((each) => `${by}  ${withComments(text, each).replaceAll('\n', `\n${by}`)},\n`).join('');
  const body = `{\n${lines(own, '    ')}    }`;
  const versions = `  versions: {\n    ${first}: ${body},\n    ${version}: ${body},\n  },\n  storage: '${first}',\n`;
  return new MagicString(text).overwrite(node.start, node.end, `{\n${lines(shared, '')}${versions}}`).toString();
}

function hasLongText(node: Node): boolean {
  const texts = [...nodesOf(node)].filter(({ type }) => type === 'TemplateElement');
  return texts.some(({ value }) => (value as { raw: string }).raw.includes('\n'));
}

/** Returns the text of a node with the comment before it. */
function withComments(text: string, node: Node): string {
  const [comment] = (node.leadingComments as Node[] | undefined) ?? [];
  return text.slice(comment?.start ?? node.start, node.end);
}

function withProperty(text: string, { node, properties }: ObjectNode, property: string): string {
  const last = properties.at(-1);
  if (last === undefined) return new MagicString(text).overwrite(node.start, node.end, `{ ${property} }`).toString();
  const indent = /[ \t]*$/.exec(text.slice(0, last.start))![0];
  const hasComma = text[last.end] === ',';
  const at = hasComma ? last.end + 1 : last.end;
  return new MagicString(text).appendRight(at, `${hasComma ? '' : ','}\n${indent}${property},`).toString();
}

function textOf(text: string, { start, end }: Node): string {
  return text.slice(start, end);
}

function keyOf(property: Node): string | undefined {
  const { name, value } = (property.key ?? {}) as { name?: string; value?: string };
  return name ?? value;
}

function cannotEdit(path: string, detail: string): GenerateError {
  return new GenerateError({ code: 'CannotEdit', path, detail });
}
