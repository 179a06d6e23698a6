import MagicString from 'magic-string';
import { GenerateError } from '../errors.ts';
import { type Node, nodesOf } from '../sources/syntax-tree.ts';
import { parsed } from './edit-module.ts';

const OWN_NAMESPACE = /^\[(process\.env\.)?POD_NAMESPACE \?\? 'default'\]$/;

/** Restricts the manager in a module to its own namespace, or lifts the restriction. Returns the module. */
export function setNamespaced(path: string, text: string, namespaced: boolean): string {
  const { properties } = managerOptions(path, text);
  const present = properties.find((property) => keyOf(property) === 'namespaces');
  if (namespaced) return present === undefined ? withNamespaces(text, properties) : text;
  if (present === undefined) return text;
  const { start, end } = present.value as Node;
  if (!OWN_NAMESPACE.test(text.slice(start, end)))
    throw cannotEdit(path, 'its `namespaces` were changed; remove them there');
  return withoutProperty(text, present);
}

/** Lets the replicas of the manager in a module share its work, or elects a leader among them. Returns the module. */
export function setSharded(path: string, text: string, sharded: boolean): string {
  const [from, to] = sharded ? ['leaderElection', 'sharding'] : ['sharding', 'leaderElection'];
  const { properties } = managerOptions(path, text);
  if (properties.some((property) => keyOf(property) === to)) return text;
  const present = properties.find((property) => keyOf(property) === from);
  if (present === undefined) throw cannotEdit(path, `its manager has no \`${from}\`; write \`${to}\` there`);
  const { start, end } = present.key as Node;
  return new MagicString(text).overwrite(start, end, to).toString();
}

/** Renames the manager, its lease and the Service of its webhooks, where they have the old name. Returns the module. */
export function renameManager(path: string, text: string, from: string, to: string): string {
  const edited = new MagicString(text);
  for (const node of nodesOf(managerOptions(path, text).properties)) {
    if (node.type !== 'StringLiteral') continue;
    for (const suffix of ['', '-webhooks'])
      if (node.value === `${from}${suffix}`) edited.overwrite(node.start, node.end, `'${to}${suffix}'`);
  }
  return edited.toString();
}

interface ManagerOptions {
  readonly properties: readonly Node[];
}

function managerOptions(path: string, text: string): ManagerOptions {
  for (const node of nodesOf(parsed(path, text))) {
    if (node.type !== 'NewExpression' || (node.callee as { name?: string }).name !== 'Manager') continue;
    const [options] = node.arguments as Node[];
    if (options?.type === 'ObjectExpression') return { properties: options.properties as Node[] };
  }
  throw cannotEdit(path, 'it has no `new Manager({ … })`; change the setting where that is');
}

function withNamespaces(text: string, properties: readonly Node[]): string {
  const value = text.includes('POD_NAMESPACE') ? 'POD_NAMESPACE' : 'process.env.POD_NAMESPACE';
  const property = `namespaces: [${value} ?? 'default'],`;
  const edited = new MagicString(text);
  const after =
    properties.find((each) => keyOf(each) === 'leaderElection' || keyOf(each) === 'sharding') ?? properties.at(-1);
  if (after === undefined) return text.replace('new Manager({', `new Manager({\n  ${property}\n`);
  const hasComma = text[after.end] === ',';
  edited.appendRight(after.end + (hasComma ? 1 : 0), `${hasComma ? '' : ','}\n  ${property}`);
  return edited.toString();
}

/** Removes a property, with its line when that holds nothing else. */
function withoutProperty(text: string, { start, end }: Node): string {
  const from = text.slice(0, start).trimEnd().length;
  const to = text[end] === ',' ? end + 1 : end;
  return new MagicString(text).remove(from, to).toString();
}

function keyOf(property: Node): string | undefined {
  return (property.key as { name?: string } | undefined)?.name;
}

function cannotEdit(path: string, detail: string): GenerateError {
  return new GenerateError({ code: 'CannotEdit', path, detail });
}
