import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pluralOf, useOf } from '@pintle/operator';
import type { SourcePlace, UnknownUse } from '../errors.ts';
import { resolveFrom } from '../project/project.ts';
import { nameOf, type Scope, type SourceModule, SourceModules } from '../sources/source-module.ts';
import type { Node } from '../sources/syntax-tree.ts';
import { type Call, Evaluator, isMember, type Value, type Values } from './evaluate.ts';
import {
  type CallUse,
  CLASS_USES,
  type FixedResource,
  FUNCTION_USES,
  METHOD_USES,
  REQUEST_METHODS,
  type Receiver,
} from './method-verbs.ts';
import { compare, type RoleUse } from './rules.ts';

/** A right that a call in the sources takes. */
export interface SourceUse extends RoleUse, SourcePlace {}

/** A client that is handed to code that is not the project's. */
export interface HandedClient extends SourcePlace {
  readonly package: string;
}

export interface SourceUses {
  readonly uses: readonly SourceUse[];
  readonly unknown: readonly UnknownUse[];
  readonly handed: readonly HandedClient[];
}

/** Beginnings of what runs in production; tests are no part of it. The first is never loaded: it would run. */
const ENTRIES = ['src/main.ts', 'src/operator.ts'];

/**
 * Finds what a project's code does with an API server, from the kinds that it hands to contexts, clients and informers.
 * The sources are read, not run; modules of kinds are loaded, compiled, as the operator does it.
 */
export async function usesInSources(directory: string): Promise<SourceUses> {
  const modules = new SourceModules(directory);
  const loaded = modules.loadedWith(ENTRIES.map((entry) => join(directory, entry)));
  const operator = modules.loadedWith([join(directory, ENTRIES[1]!)]);
  const finder = new UseFinder(new Evaluator(modules, loaded), new Kinds(directory, operator));
  return await finder.find();
}

class UseFinder {
  readonly #evaluator: Evaluator;
  readonly #kinds: Kinds;
  readonly #uses = new Map<string, SourceUse>();
  readonly #unknown: UnknownUse[] = [];
  readonly #handed: HandedClient[] = [];
  #controlled: readonly FixedResource[] = [];

  constructor(evaluator: Evaluator, kinds: Kinds) {
    this.#evaluator = evaluator;
    this.#kinds = kinds;
  }

  async find(): Promise<SourceUses> {
    this.#controlled = await this.#findControlled();
    for (const call of this.#evaluator.calls) {
      if (isMember(call.node.callee as Node)) await this.#lookAtMethod(call);
      await this.#lookAtName(call);
    }
    const uses = [...this.#uses.values()].sort(byPlace);
    return { uses, unknown: this.#unknown.sort(byPlace), handed: this.#handed.sort(byPlace) };
  }

  /** The kinds of all controllers, for functions that do not say which controller's context they take. */
  async #findControlled(): Promise<readonly FixedResource[]> {
    const found: FixedResource[] = [];
    for (const { node, scope } of this.#evaluator.calls) {
      const callee = node.callee as Node;
      const [argument] = node.arguments as Node[];
      if (!isMember(callee) || nameOf(callee.property as Node) !== 'controller' || argument === undefined) continue;
      const { kinds } = await this.#kinds.of(this.#evaluator.valuesOf(argument, scope));
      found.push(...kinds);
    }
    return found;
  }

  async #lookAtMethod(call: Call): Promise<void> {
    const callee = call.node.callee as Node;
    const name = nameOf(callee.property as Node);
    const isRequest = REQUEST_METHODS.has(name);
    if (!isRequest && !METHOD_NAMES.has(name)) return;
    const values = this.#evaluator.valuesOf(callee.object as Node, call.scope);
    const receivers = values.filter((value) => value.is === 'receiver');
    for (const { receiver, own } of receivers) {
      if (isRequest && receiver === 'client') this.#lookAtRequest(call);
      const use = METHOD_USES[receiver as Receiver]?.[name];
      // Controllers say what they watch and own when they are put together: nothing is left to be told of.
      const isLoose = receiver === 'manager' || receiver === 'builder';
      if (use !== undefined) await this.#take(call, use, own, { isLoose });
    }
    // Whatever it is: who hands a kind to such a method means a server.
    const loose = KIND_METHODS.get(name);
    if (receivers.length === 0 && loose !== undefined) await this.#take(call, loose, [], { isLoose: true });
  }

  async #lookAtName(call: Call): Promise<void> {
    const symbols = this.#evaluator
      .valuesOf(call.node.callee as Node, call.scope)
      .filter((value) => value.is === 'symbol' && !value.isProject);
    for (const symbol of symbols as Extract<Value, { is: 'symbol' }>[]) {
      if (!/^(?:@pintle\/|node:)/.test(symbol.module) && this.#handsClient(call))
        this.#handed.push({ ...placeOf(call), package: symbol.module });
      const use = FUNCTION_USES[symbol.module]?.[symbol.name];
      if (use !== undefined && !this.#isElsewhere(call)) await this.#take(call, use, []);
      const made = symbol.module === '@pintle/client' ? CLASS_USES[symbol.name] : undefined;
      if (made !== undefined && call.node.type === 'NewExpression') await this.#takeMade(call, made);
    }
  }

  /** Whether an argument, or a member of one, can ask a server. Whoever is handed a manager declares by it. */
  #handsClient({ node, scope }: Call): boolean {
    const given = (node.arguments as Node[]).flatMap((each) => this.#evaluator.valuesOf(each, scope));
    const parts = given.flatMap((value) => (value.is === 'record' ? (value.members?.() ?? []).flat() : []));
    return [...given, ...parts].some((value) => value.is === 'receiver' && ASKING.has(value.receiver));
  }

  #isElsewhere({ node, scope }: Call): boolean {
    const [client] = node.arguments as Node[];
    const values = client === undefined ? [] : this.#evaluator.valuesOf(client, scope);
    return values.length > 0 && values.every((value) => value.is === 'receiver' && value.receiver === 'elsewhere');
  }

  async #takeMade(call: Call, { kind, verbs }: (typeof CLASS_USES)[string]): Promise<void> {
    if (kind !== 'type') {
      this.#add(call, kind, verbs);
      return;
    }
    const [options] = call.node.arguments as Node[];
    const member = (name: string): Values => (options === undefined ? [] : this.#memberOf(options, call.scope, name));
    if (member('client').some((value) => value.is === 'receiver' && value.receiver === 'elsewhere')) return;
    await this.#addKinds(call, member('type'), verbs);
  }

  async #take(call: Call, use: CallUse, own: Values, { isLoose = false } = {}): Promise<void> {
    const { kind, verbs } = use;
    if (this.#isWatchingElsewhere(call, use.watching)) return;
    const subresource = use.subresource ?? this.#subresourceOf(call, use.options);
    if (typeof kind === 'object') this.#add(call, kind, verbs, subresource);
    else if (kind === 'own') {
      for (const each of await this.#ownKinds(own)) {
        this.#add(call, each, verbs, subresource);
        this.#add(call, each, use.objectVerbs ?? []);
      }
    } else {
      const argument = (call.node.arguments as Node[])[kind];
      const values = argument === undefined ? [] : this.#evaluator.valuesOf(argument, call.scope);
      await this.#addKinds(call, values, verbs, subresource, isLoose);
    }
    if (use.setsOwner) for (const each of await this.#ownKinds(own)) this.#add(call, each, ['update'], 'finalizers');
  }

  #isWatchingElsewhere({ node, scope }: Call, index: number | undefined): boolean {
    const options = index === undefined ? [] : (node.arguments as Node[]).slice(index);
    return options.some((each) => this.#memberOf(each, scope, 'informers').length > 0);
  }

  async #ownKinds(own: Values): Promise<readonly FixedResource[]> {
    const { kinds, isComplete } = await this.#kinds.of(own);
    return isComplete ? kinds : this.#controlled;
  }

  async #addKinds(
    call: Call,
    values: Values,
    verbs: readonly string[],
    subresource?: string,
    isLoose = false,
  ): Promise<void> {
    const { kinds, isComplete } = await this.#kinds.of(values);
    for (const kind of kinds) this.#add(call, kind, verbs, subresource);
    if (!isComplete && !isLoose) this.#unknown.push({ ...placeOf(call), verbs });
  }

  /** `client.call({ method: 'GET', path: '/api/v1/…' })` */
  #lookAtRequest(call: Call): void {
    const [request] = call.node.arguments as Node[];
    const path = request && textOf(this.#literalOf(request, call.scope, 'path'));
    const isSocket = nameOf((call.node.callee as Node).property as Node) === 'openSocket';
    const method = isSocket ? 'GET' : request && textOf(this.#literalOf(request, call.scope, 'method'));
    const query = request && textOf(this.#literalOf(request, call.scope, 'query'));
    const use = path && method ? useOf({ method, path, ...(query !== undefined && { query }) }) : undefined;
    const isVague = use === undefined ? !path?.startsWith('/') : `${use.group} ${use.resource}`.includes(ANYTHING);
    if (path === undefined || method === undefined || isVague)
      this.#unknown.push({ ...placeOf(call), verbs: method === undefined ? [] : [verbOfMethod(method)] });
    else if (use !== undefined) {
      const [plural = '', subresource] = use.resource.split('/');
      this.#add(call, { group: use.group, plural }, isSocket ? ['create', use.verb] : [use.verb], subresource);
    }
  }

  #subresourceOf(call: Call, index: number | undefined): string | undefined {
    const options = index === undefined ? undefined : (call.node.arguments as Node[])[index];
    return options && textOf(this.#literalOf(options, call.scope, 'subresource'));
  }

  /** A member of an object that is written down, here or in a constant. */
  #literalOf(node: Node, scope: Scope, name: string): Node | undefined {
    const object = node.type === 'Identifier' ? constantOf(node, scope) : node;
    if (object?.type !== 'ObjectExpression') return undefined;
    const property = (object.properties as Node[]).find(
      (each) => each.type === 'ObjectProperty' && nameOf(each.key as Node) === name,
    );
    const value = property?.value as Node | undefined;
    return value?.type === 'Identifier' ? constantOf(value, scope) : value;
  }

  #memberOf(node: Node, scope: Scope, name: string): Values {
    return this.#evaluator.valuesOf(node, scope).flatMap((value) => (value.is === 'record' ? value.member(name) : []));
  }

  #add(call: Call, kind: FixedResource, verbs: readonly string[], subresource?: string): void {
    const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
    for (const verb of verbs) {
      const key = `${kind.group}/${resource} ${verb}`;
      if (!this.#uses.has(key)) this.#uses.set(key, { group: kind.group, resource, verb, ...placeOf(call) });
    }
  }
}

const ASKING: ReadonlySet<string> = new Set(['client', 'cachedClient', 'context'] satisfies Receiver[]);
const METHODS = Object.values(METHOD_USES).flatMap((methods) => Object.entries(methods));
const METHOD_NAMES: ReadonlySet<string> = new Set(METHODS.map(([name]) => name));
/** Methods that are handed a kind, whoever has them. */
const KIND_METHODS: ReadonlyMap<string, CallUse> = new Map(METHODS.filter(([, { kind }]) => typeof kind === 'number'));

/** Kinds by what the sources call them. */
class Kinds {
  readonly #directory: string;
  /** Modules of the project that are loaded with the operator, and so may be loaded. */
  readonly #loadable: ReadonlySet<string>;
  readonly #known = new Map<string, Promise<FixedResource | undefined>>();

  constructor(directory: string, loadable: readonly SourceModule[]) {
    this.#directory = directory;
    this.#loadable = new Set(loadable.map(({ path }) => path));
  }

  /** `isComplete`: all that the values may be is known. */
  async of(values: Values): Promise<{ readonly kinds: readonly FixedResource[]; readonly isComplete: boolean }> {
    const kinds: FixedResource[] = [];
    const isDefinedHere = values.some(({ is }) => is === 'resource');
    let isComplete = values.length > 0;
    for (const value of values) {
      const kind = await this.#kindOf(value);
      if (kind !== undefined) kinds.push(kind);
      else if (value.is !== 'symbol' || !isDefinedHere) isComplete = false;
    }
    return { kinds, isComplete };
  }

  async #kindOf(value: Value): Promise<FixedResource | undefined> {
    if (value.is === 'resource') return definedIn(value.options);
    if (value.is !== 'symbol') return undefined;
    const key = `${value.module} ${value.name}`;
    const known = this.#known.get(key) ?? this.#load(value);
    this.#known.set(key, known);
    return await known;
  }

  async #load({ module, name, isProject }: Extract<Value, { is: 'symbol' }>): Promise<FixedResource | undefined> {
    if (isProject && !this.#loadable.has(module)) return undefined;
    try {
      const path = isProject ? this.#compiled(module) : resolveFrom(this.#directory, module);
      const exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
      return asResource(Object.hasOwn(exported, name) ? exported[name] : undefined);
    } catch {
      // A module that cannot be loaded tells no kind: the call is reported.
      return undefined;
    }
  }

  #compiled(path: string): string {
    const inside = path.slice(join(this.#directory, 'src').length);
    return join(this.#directory, 'dist', inside.replace(/\.ts$/, '.js'));
  }
}

function asResource(value: unknown): FixedResource | undefined {
  const { group, plural, kind } = (value ?? {}) as { group?: unknown; plural?: unknown; kind?: unknown };
  const isResource = typeof group === 'string' && typeof plural === 'string' && typeof kind === 'string';
  return isResource ? { group, plural } : undefined;
}

/** `defineResource({ group: 'example.com', kind: 'Fruit', … })` of a module that is not loaded. */
function definedIn(options: Node): FixedResource | undefined {
  if (options.type !== 'ObjectExpression') return undefined;
  const member = (name: string): string | undefined =>
    textOf(
      (options.properties as Node[]).find((each) => each.key !== undefined && nameOf(each.key as Node) === name)
        ?.value as Node | undefined,
    );
  const [group, kind, plural] = [member('group'), member('kind'), member('plural')];
  return group === undefined || kind === undefined ? undefined : { group, plural: plural ?? pluralOf(kind) };
}

/** In the place of what is only known at run time. */
const ANYTHING = '\u0000';

/** A text as it is written; what is put into a template is anything. */
function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value as string;
  if (node?.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as Node[]).map(({ value }) => (value as { readonly cooked: string }).cooked).join(ANYTHING);
}

function constantOf(node: Node, scope: Scope): Node | undefined {
  const binding = scope.find(nameOf(node));
  return binding?.origin.is === 'value' && binding.path.length === 0 ? unwrapped(binding.origin.node) : undefined;
}

function unwrapped(node: Node): Node {
  return node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' ? (node.expression as Node) : node;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

function verbOfMethod(method: string): string {
  return VERBS.get(method) ?? 'get';
}

function placeOf({ node, scope: { module } }: Call): SourcePlace {
  return { file: module.shown, line: module.lineOf(node), call: shortened(node) };
}

/** `ctx.client.get(type, …)`: who is asked, what for and with which kind. */
function shortened(node: Node): string {
  const given = (node.arguments as Node[]).map((each) => (each.type === 'Identifier' ? nameOf(each) : '…'));
  const shown = given.indexOf('…');
  const few = shown === -1 ? given : given.slice(0, shown + 1);
  return `${node.type === 'NewExpression' ? 'new ' : ''}${dotted(node.callee as Node)}(${few.join(', ')})`;
}

function dotted(node: Node): string {
  if (isMember(node)) return `${dotted(node.object as Node)}.${nameOf(node.property as Node)}`;
  if (node.type === 'ThisExpression') return 'this';
  return node.type === 'Identifier' ? nameOf(node) : '…';
}

function byPlace(a: SourcePlace, b: SourcePlace): number {
  return compare(a.file, b.file) || a.line - b.line || compare(a.call, b.call);
}
