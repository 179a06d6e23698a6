import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { accessOf, pluralOf } from '@pintle/operator';
import type { SourceCall, UnknownUse } from '../errors.ts';
import { resolveFrom } from '../project/project.ts';
import { nameOf, type Scope, type SourceModule, SourceModules } from '../sources/source-module.ts';
import { type Node, nodesOf } from '../sources/syntax-tree.ts';
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

/** A right that a call in the sources needs. */
export interface SourceUse extends RoleUse, SourceCall {}

/** A call that passes a client to another package. */
export interface HandedClient extends SourceCall {
  readonly package: string;
}

export interface SourceUses {
  readonly uses: readonly SourceUse[];
  readonly unknown: readonly UnknownUse[];
  readonly handed: readonly HandedClient[];
  /** True when a manager of the project has the option `sharding`. */
  readonly isSharded: boolean;
  /** True when a manager of the project has the option `telemetry`, and it is not `false`. */
  readonly hasTelemetry: boolean;
}

/** Entry modules of the operator, without tests. The first is never loaded, since it would run. */
const ENTRIES = ['src/main.ts', 'src/operator.ts'];

/**
 * Finds the rights that the sources of a project need, from the kinds that they pass to contexts, clients and informers. Reads
 * the sources without running them; loads compiled modules of kinds.
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
  #isSharded = false;
  #hasTelemetry = false;

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
    return {
      uses,
      unknown: this.#unknown.sort(byPlace),
      handed: this.#handed.sort(byPlace),
      isSharded: this.#isSharded,
      hasTelemetry: this.#hasTelemetry,
    };
  }

  /** Returns the kinds of all controllers, for functions whose context may be that of any controller. */
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
      if (isRequest && receiver === 'client') this.#readRequest(call);
      const use = METHOD_USES[receiver as Receiver]?.[name];
      // Controllers declare what they watch and own when they are built.
      const isLoose = receiver === 'manager' || receiver === 'builder';
      if (use !== undefined) await this.#take(call, use, own, { isLoose });
    }
    // A method of this name that receives a kind sends requests, whatever the object is.
    const loose = KIND_METHODS.get(name);
    if (receivers.length === 0 && loose !== undefined) await this.#take(call, loose, [], { isLoose: true });
  }

  async #lookAtName(call: Call): Promise<void> {
    const symbols = this.#evaluator
      .valuesOf(call.node.callee as Node, call.scope)
      .filter((value) => value.is === 'symbol' && !value.isProject);
    for (const symbol of symbols as Extract<Value, { is: 'symbol' }>[]) {
      if (!/^(?:@pintle\/|node:)/.test(symbol.module) && this.#handsClient(call))
        this.#handed.push({ ...callOf(call), package: symbol.module });
      if (symbol.module === '@pintle/operator' && symbol.name === 'Manager') {
        this.#isSharded ||= optionsOf(call.node, 'sharding').length > 0;
        this.#hasTelemetry ||= optionsOf(call.node, 'telemetry').some((value) => !isFalse(value));
      }
      const use = FUNCTION_USES[symbol.module]?.[symbol.name];
      if (use !== undefined && !this.#isElsewhere(call)) await this.#take(call, use, []);
      const made = symbol.module === '@pintle/client' ? CLASS_USES[symbol.name] : undefined;
      if (made !== undefined && call.node.type === 'NewExpression') await this.#takeMade(call, made);
    }
  }

  /** True when an argument, or a member of one, can send requests. Code that receives a manager declares its rights. */
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
    if (!isComplete && !isLoose) this.#unknown.push({ ...callOf(call), verbs });
  }

  /** Reads `client.call({ method: 'GET', path: '/api/v1/…' })`. */
  #readRequest(call: Call): void {
    const [request] = call.node.arguments as Node[];
    const path = request && textOf(this.#literalOf(request, call.scope, 'path'));
    const isSocket = nameOf((call.node.callee as Node).property as Node) === 'openSocket';
    const method = isSocket ? 'GET' : request && textOf(this.#literalOf(request, call.scope, 'method'));
    const query = request && textOf(this.#literalOf(request, call.scope, 'query'));
    const use = path && method ? accessOf({ method, path, ...(query !== undefined && { query }) }) : undefined;
    const isVague = use === undefined ? !path?.startsWith('/') : `${use.group} ${use.resource}`.includes(ANYTHING);
    if (path === undefined || method === undefined || isVague)
      this.#unknown.push({ ...callOf(call), verbs: method === undefined ? [] : [verbOfMethod(method)] });
    else if (use !== undefined) {
      const [plural = '', subresource] = use.resource.split('/');
      this.#add(call, { group: use.group, plural }, isSocket ? ['create', use.verb] : [use.verb], subresource);
    }
  }

  #subresourceOf(call: Call, index: number | undefined): string | undefined {
    const options = index === undefined ? undefined : (call.node.arguments as Node[])[index];
    return options && textOf(this.#literalOf(options, call.scope, 'subresource'));
  }

  /** Returns a member of an object literal, given here or as a constant. */
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
      if (!this.#uses.has(key)) this.#uses.set(key, { group: kind.group, resource, verb, ...callOf(call) });
    }
  }
}

const ASKING: ReadonlySet<string> = new Set(['client', 'cachedClient', 'context'] satisfies Receiver[]);
const METHODS = Object.values(METHOD_USES).flatMap((methods) => Object.entries(methods));
const METHOD_NAMES: ReadonlySet<string> = new Set(METHODS.map(([name]) => name));
/** Methods that receive a kind, by name. */
const KIND_METHODS: ReadonlyMap<string, CallUse> = new Map(METHODS.filter(([, { kind }]) => typeof kind === 'number'));

/** Finds the kinds behind values of the sources. */
class Kinds {
  readonly #directory: string;
  /** Modules that the operator loads, which are therefore safe to load. */
  readonly #loadable: ReadonlySet<string>;
  readonly #known = new Map<string, Promise<FixedResource | undefined>>();

  constructor(directory: string, loadable: readonly SourceModule[]) {
    this.#directory = directory;
    this.#loadable = new Set(loadable.map(({ path }) => path));
  }

  /** Returns the kinds of values; `isComplete` when all values are known. */
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
      // A module that cannot be loaded has no kind; the call is reported as unknown.
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

/** Reads `defineResource({ group: 'example.com', kind: 'Fruit', … })` of a module that is not loaded. */
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

/** Stands for a part that is only known at run time. */
const ANYTHING = '\u0000';

/** Returns the text of a literal; expressions of a template become ANYTHING. */
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

function callOf({ node, scope: { module } }: Call): SourceCall {
  return { file: module.shown, line: module.lineOf(node), call: shortened(node) };
}

/** Returns the code of a call in short form, such as `ctx.client.get(type, …)`. */
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

function byPlace(a: SourceCall, b: SourceCall): number {
  return compare(a.file, b.file) || a.line - b.line || compare(a.call, b.call);
}

/** True when an argument of a call has a property `sharding`, also in a part that is spread into it. */
/** Returns the values of an option, wherever in the arguments it is. */
function optionsOf(call: Node, name: string): Node[] {
  return [...nodesOf(call.arguments as Node[])].flatMap(({ type, key, value }) =>
    /Property$/.test(type) && key !== undefined && nameOf(key as Node) === name ? [value as Node] : [],
  );
}

function isFalse({ type, value }: Node): boolean {
  return type === 'BooleanLiteral' && value === false;
}
