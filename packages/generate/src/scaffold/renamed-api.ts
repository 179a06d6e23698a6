import MagicString from 'magic-string';
import { GenerateError } from '../errors.ts';
import { type Node, nodesOf } from '../sources/syntax-tree.ts';
import { parsed } from './edit-module.ts';

/** Former names of exports, by package. CHANGELOG.md lists them for users. */
const EXPORTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    '@pintle/client',
    new Map([
      ['Sighting', 'LazyObject'],
      ['SightedEvent', 'LazyEvent'],
      ['Sharing', 'ShareOptions'],
      ['Held', 'WorkItem'],
      ['Occurrence', 'NewEvent'],
      ['Deed', 'NewSeriesEvent'],
      ['Source', 'PemSource'],
    ]),
  ],
  [
    '@pintle/operator',
    new Map([
      ['Tie', 'OwnerReferenceMode'],
      ['OWNER', 'OWNER_ANNOTATION'],
      ['OWNER_UID', 'OWNER_UID_LABEL'],
      ['SaidCondition', 'ConditionUpdate'],
      ['Outcome', 'ReconcileOutcome'],
      ['ReconcileEnd', 'FinishedReconcile'],
      ['SayRequeueAfterMs', 'UseRequeueAfterMs'],
      ['Watching', 'WatchesArgument'],
      ['Owning', 'OwnsArgument'],
      ['Use', 'ResourceAccess'],
      ['useOf', 'accessOf'],
      ['Requester', 'ManagerIdentity'],
      ['AdmissionAnswer', 'AdmissionResponse'],
      ['Verdict', 'ValidationResult'],
      ['Configurations', 'WebhookConfigurations'],
      ['ManagerUse', 'ManagerAccess'],
      ['EXACT_WORDS', 'EXACT_KEYWORDS'],
      ['isConverterUndecided', 'isConversionPlaceholder'],
      ['dropConverter', 'removeConversionWebhook'],
    ]),
  ],
  [
    '@pintle/pki',
    new Map([
      ['isAging', 'isDueForRenewal'],
      ['isFor', 'isForHost'],
    ]),
  ],
]);

/** Former names of options, by the function, method or class that they are passed to. */
const OPTIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['apply', new Map([['tie', 'ownerReference']])],
  ['watch', watchOptions()],
  ['watches', watchOptions()],
  ['owns', watchOptions([['isEveryOwner', 'matchEveryOwner']])],
  ['Reflector', new Map([['finish', 'transform']])],
  ['Manager', new Map([['door', 'connectInProcess']])],
  ['WebhookServer', new Map([['door', 'connectInProcess']])],
]);

function watchOptions(more: readonly (readonly [string, string])[] = []): ReadonlyMap<string, string> {
  return new Map([['settleMs', 'coalesceMs'], ['sharing', 'select'], ...more]);
}

/**
 * Replaces former names of the API of Pintle in a module: names that it imports, and options that it passes as literals. Leaves
 * a module that cannot be parsed as it is; the compiler reports it.
 */
export function renameApi(path: string, text: string): string {
  if (!text.includes('@pintle/')) return text;
  const tree = parsedOrNone(path, text);
  const imports = tree.filter(({ type }) => type === 'ImportDeclaration');
  if (!imports.some((each) => sourceOf(each)?.startsWith('@pintle/'))) return text;
  const edited = new MagicString(text);
  const identifiers = new Identifiers(tree);
  for (const statement of tree) {
    const names = namesOf(sourceOf(statement));
    if (names === undefined) continue;
    for (const specifier of (statement.specifiers ?? []) as readonly Node[]) {
      if (specifier.type === 'ImportSpecifier') renameImport(edited, identifiers, specifier, names);
      else if (specifier.type === 'ExportSpecifier') renameReexport(edited, specifier, names);
    }
  }
  for (const call of nodesOf(tree)) renameOptions(edited, call);
  return edited.toString();
}

function parsedOrNone(path: string, text: string): readonly Node[] {
  try {
    return parsed(path, text) as unknown as readonly Node[];
  } catch (error) {
    if (error instanceof GenerateError) return [];
    throw error;
  }
}

function sourceOf(statement: Node): string | undefined {
  return (statement.source as { readonly value?: string } | null | undefined)?.value;
}

function namesOf(source: string | undefined): ReadonlyMap<string, string> | undefined {
  const name = source?.split('/').slice(0, 2).join('/');
  return name === undefined ? undefined : EXPORTS.get(name);
}

/** Renames an import with all its uses; keeps the local name when the new one is taken or the old one is declared again. */
function renameImport(
  edited: MagicString,
  identifiers: Identifiers,
  specifier: Node,
  names: ReadonlyMap<string, string>,
): void {
  const imported = specifier.imported as Node;
  const local = specifier.local as Node;
  const next = names.get(String(imported.name));
  if (next === undefined) return;
  if (imported.start !== local.start) edited.overwrite(imported.start, imported.end, next);
  else if (identifiers.has(next) || identifiers.isDeclared(String(local.name)))
    edited.overwrite(imported.start, imported.end, `${next} as ${local.name}`);
  else {
    edited.overwrite(imported.start, imported.end, next);
    for (const { node, isShorthand } of identifiers.usesOf(String(local.name)))
      edited.overwrite(node.start, node.end, isShorthand ? `${local.name}: ${next}` : next);
  }
}

/** Keeps the name under which the module exports it. */
function renameReexport(edited: MagicString, specifier: Node, names: ReadonlyMap<string, string>): void {
  const [local, exported] = [specifier.local as Node, specifier.exported as Node];
  const next = names.get(String(local.name));
  if (next === undefined) return;
  const isSame = local.start === exported.start;
  edited.overwrite(local.start, local.end, isSame ? `${next} as ${exported.name}` : next);
}

function renameOptions(edited: MagicString, call: Node): void {
  if (call.type !== 'CallExpression' && call.type !== 'NewExpression') return;
  const callee = call.callee as Node;
  const name = callee.type === 'MemberExpression' ? (callee.property as Node).name : callee.name;
  const names = OPTIONS.get(String(name));
  if (names === undefined) return;
  for (const argument of call.arguments as readonly Node[]) renameKeys(edited, argument, names);
}

/** Renames keys of an object literal, and of literals inside it. */
function renameKeys(edited: MagicString, literal: Node, names: ReadonlyMap<string, string>): void {
  if (literal.type !== 'ObjectExpression') return;
  for (const property of literal.properties as readonly Node[]) {
    const key = property.key as Node | undefined;
    const value = property.value as Node | undefined;
    if (value !== undefined) renameKeys(edited, value, names);
    const next = key?.type === 'Identifier' && property.computed !== true ? names.get(String(key.name)) : undefined;
    if (key === undefined || next === undefined) continue;
    if (property.shorthand === true) edited.appendLeft(key.start, `${next}: `);
    else edited.overwrite(key.start, key.end, next);
  }
}

interface Use {
  readonly node: Node;
  /** True for `{ name }`. */
  readonly isShorthand: boolean;
}

/** Identifiers of a module, without the names of properties and of imports. */
class Identifiers {
  readonly #uses = new Map<string, Use[]>();
  readonly #declared = new Set<string>();

  constructor(tree: readonly Node[]) {
    const names = new Set<unknown>();
    const shorthands = new Set<unknown>();
    for (const node of nodesOf(tree)) {
      for (const name of propertyNames(node)) names.add(name);
      if (node.shorthand === true) shorthands.add(node.value);
      for (const name of declarations(node).flatMap(namesIn)) this.#declared.add(name);
      if (node.type !== 'Identifier' || names.has(node)) continue;
      const uses = this.#uses.get(String(node.name)) ?? [];
      uses.push({ node, isShorthand: shorthands.has(node) });
      this.#uses.set(String(node.name), uses);
    }
  }

  has(name: string): boolean {
    return this.#uses.has(name);
  }

  isDeclared(name: string): boolean {
    return this.#declared.has(name);
  }

  usesOf(name: string): readonly Use[] {
    return this.#uses.get(name) ?? [];
  }
}

/** Names that refer to no binding of the module. */
function propertyNames(node: Node): readonly unknown[] {
  if (/^(?:Import|Export)\w*Specifier$/.test(node.type)) return [node.imported, node.local, node.exported];
  if (node.type === 'TSEnumMember') return [node.id];
  if (node.type === 'TSQualifiedName') return [node.right];
  return node.computed === true ? [] : [node.key, node.property, node.label];
}

const FUNCTION = /Function|Method/;

/** Names and patterns that a node declares; names that the module exports count too, because they must stay. */
function declarations(node: Node): readonly unknown[] {
  if (node.type === 'ExportSpecifier') return [node.local];
  const id = /Declarat(?:ion|or)$|^(?:Class|Function)Expression$/.test(node.type) ? node.id : undefined;
  const parameters = FUNCTION.test(node.type) ? (node.params ?? node.parameters) : undefined;
  return [id, node.param, ...((parameters as readonly unknown[] | undefined) ?? [])];
}

/** Returns the names in a pattern, without its types. Those in defaults are among them, which does no harm. */
function namesIn(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(namesIn);
  if (typeof pattern !== 'object' || pattern === null) return [];
  const { type, name, typeAnnotation: _type, ...rest } = pattern as Partial<Node>;
  return type === 'Identifier' ? [String(name)] : Object.values(rest).flatMap(namesIn);
}
