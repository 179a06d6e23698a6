import { table } from '@pintle/machinery/table';
import {
  annotationOf,
  type Binding,
  importedBy,
  isFunction,
  nameOf,
  type Scope,
  type SourceModule,
  type SourceModules,
} from '../sources/source-module.ts';
import { type Node, WRAPPED } from '../sources/syntax-tree.ts';
import type { Receiver } from './method-verbs.ts';

/** A possible value of an expression, as far as it matters to rights. */
export type Value =
  | { readonly is: 'unknown' }
  /** An object that sends requests to a server. `elsewhere`: to the server of another cluster. */
  | { readonly is: 'receiver'; readonly receiver: Receiver | 'elsewhere'; readonly own: Values }
  /** An export of a module, by path in the project or by package name. It may be a kind. */
  | { readonly is: 'symbol'; readonly module: string; readonly name: string; readonly isProject: boolean }
  /** A call of `defineResource`. */
  | { readonly is: 'resource'; readonly options: Node; readonly scope: Scope }
  | { readonly is: 'list'; readonly items: readonly Values[] }
  | { readonly is: 'record'; readonly member: (name: string) => Values; readonly members?: () => readonly Values[] }
  | { readonly is: 'function'; readonly node: Node; readonly scope: Scope };

/** All possible values of an expression, which depend on branches and callers. */
export type Values = readonly Value[];

const UNKNOWN: Values = [{ is: 'unknown' }];
const OPERATOR = '@pintle/operator';
const CLIENT = '@pintle/client';

type Known = Extract<Value, { is: 'receiver' }>['receiver'];

/** Types of the framework that send requests, by package. */
const TYPES: Readonly<Record<string, Readonly<Record<string, Known>>>> = table({
  [OPERATOR]: table({
    Manager: 'manager',
    ReconcileContext: 'context',
    ReconcileScope: 'context',
    ControllerBuilder: 'builder',
    Controller: 'controller',
    Cluster: 'elsewhere',
  } as const),
  [CLIENT]: table({
    Client: 'client',
    CachedClient: 'cachedClient',
    SharedInformers: 'informers',
    EventRecorder: 'events',
  } as const),
});
const MEMBERS: Readonly<Record<string, Readonly<Record<string, Known>>>> = table({
  context: table({ client: 'cachedClient', live: 'client' } as const),
  manager: table({ client: 'cachedClient', informers: 'informers', events: 'events' } as const),
  cachedClient: table({ live: 'client' } as const),
});
/** Types of the language that wrap their first argument. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'Awaited NonNullable Omit Partial Pick Promise Readonly Required'.split(' '),
);
const LISTS: ReadonlySet<string> = new Set('Array Iterable ReadonlyArray ReadonlySet Set'.split(' '));
/** Methods of arrays that call their argument with each element. */
const EACH: ReadonlySet<string> = new Set('every filter find flatMap forEach map some'.split(' '));
const SAME_LIST: ReadonlySet<string> = new Set('concat filter slice toReversed toSorted'.split(' '));

/** A call and its scope. */
export interface Call {
  readonly node: Node;
  readonly scope: Scope;
}

/** Evaluates expressions of a project by their declarations, types and callers, without running code. */
export class Evaluator {
  readonly #modules: SourceModules;
  readonly #calls: readonly Call[];
  readonly #known = new Map<Node, Values>();
  readonly #knownBindings = new Map<Binding, Values>();
  #callers: Map<Node, Call[]> | undefined;
  #callsByMethod: Map<string, Call[]> | undefined;

  constructor(modules: SourceModules, loaded: readonly SourceModule[]) {
    this.#modules = modules;
    this.#calls = loaded.flatMap((module) =>
      module.nodes.filter(isCall).map((node) => ({ node, scope: module.scopeOf(node) })),
    );
  }

  get calls(): readonly Call[] {
    return this.#calls;
  }

  valuesOf(node: Node, scope: Scope): Values {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    // A recursive expression adds nothing to itself.
    this.#known.set(node, []);
    const values = distinct(this.#evaluate(node, scope));
    this.#known.set(node, values);
    return values;
  }

  #evaluate(node: Node, scope: Scope): Values {
    if (WRAPPED.has(node.type)) return this.#wrapped(node, scope);
    switch (node.type) {
      case 'Identifier':
        return this.#lookUp(nameOf(node), scope);
      case 'ThisExpression':
        return this.#instance(
          enclosing(node, scope, ({ type }) => type.startsWith('Class') && !isFunctionLike(type)),
          scope,
        );
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return node.computed && (node.property as Node).type !== 'StringLiteral'
          ? this.valuesOf(node.object as Node, scope).flatMap(elementsOf)
          : this.valuesOf(node.object as Node, scope).flatMap((value) =>
              this.#member(value, nameOf(node.property as Node)),
            );
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#called(node, scope);
      case 'NewExpression':
        return this.#made(node, scope);
      case 'AwaitExpression':
        return this.valuesOf(node.argument as Node, scope);
      case 'ConditionalExpression':
        return [node.consequent, node.alternate].flatMap((each) => this.valuesOf(each as Node, scope));
      case 'LogicalExpression':
        return [node.left, node.right].flatMap((each) => this.valuesOf(each as Node, scope));
      case 'AssignmentExpression':
        return this.valuesOf(node.right as Node, scope);
      case 'ArrayExpression':
        return [{ is: 'list', items: (node.elements as (Node | null)[]).flatMap((each) => this.#items(each, scope)) }];
      case 'ObjectExpression':
        return [this.#record(node, scope)];
      case 'NullLiteral':
        return [];
      default:
        return isFunction(node) ? [{ is: 'function', node, scope }] : UNKNOWN;
    }
  }

  /** For `value as Type`, the value takes precedence unless it is unknown. */
  #wrapped(node: Node, scope: Scope): Values {
    const values = this.valuesOf(node.expression as Node, scope);
    const type = node.typeAnnotation as Node | undefined;
    return type !== undefined && values.every(({ is }) => is === 'unknown') ? this.typeValues(type, scope) : values;
  }

  #items(element: Node | null, scope: Scope): Values[] {
    if (element === null) return [];
    if (element.type !== 'SpreadElement') return [this.valuesOf(element, scope)];
    return this.valuesOf(element.argument as Node, scope).flatMap((value) =>
      value.is === 'list' ? value.items : [UNKNOWN],
    );
  }

  #record(node: Node, scope: Scope): Value {
    const properties = node.properties as Node[];
    const propertyValues = (property: Node): Values =>
      property.type === 'SpreadElement' ? UNKNOWN : this.valuesOf((property.value ?? property) as Node, scope);
    return {
      is: 'record',
      members: () => properties.map(propertyValues),
      member: (name) => {
        const found = properties.find((each) => each.type !== 'SpreadElement' && nameOf(each.key as Node) === name);
        if (found !== undefined) return propertyValues(found);
        const spread = properties.filter((each) => each.type === 'SpreadElement');
        return spread.flatMap((each) =>
          this.valuesOf(each.argument as Node, scope).flatMap((value) => this.#member(value, name)),
        );
      },
    };
  }

  #member(value: Value, name: string): Values {
    switch (value.is) {
      case 'receiver': {
        if (value.receiver === 'elsewhere') return [value];
        const member = MEMBERS[value.receiver]?.[name];
        return member === undefined ? UNKNOWN : [{ is: 'receiver', receiver: member, own: value.own }];
      }
      case 'symbol':
        // All versions of a resource are the same resource.
        return value.name === '*' ? this.#imported(value.module, name, value.isProject) : [value];
      case 'resource':
        return [value];
      case 'record':
        return value.member(name);
      default:
        return UNKNOWN;
    }
  }

  #called(node: Node, scope: Scope): Values {
    const callee = node.callee as Node;
    const [argument] = node.arguments as Node[];
    const loaded = importedBy(node);
    if (loaded !== undefined) return this.#importedBy(scope.module, loaded, '*');
    if (isMember(callee)) {
      const name = nameOf(callee.property as Node);
      const object = callee.object as Node;
      if (object.type === 'Identifier' && nameOf(object) === 'Object' && name === 'values' && argument !== undefined)
        return this.valuesOf(argument, scope).map((value) =>
          value.is === 'record' && value.members !== undefined ? { is: 'list', items: value.members() } : UNKNOWN[0]!,
        );
      return this.valuesOf(object, scope).flatMap((value) => this.#calledMethod(value, name, node, scope));
    }
    return this.valuesOf(callee, scope).flatMap((value) => this.#returned(value, node, scope));
  }

  #calledMethod(value: Value, name: string, node: Node, scope: Scope): Values {
    const [argument] = node.arguments as Node[];
    if (value.is === 'list') return SAME_LIST.has(name) ? [value] : UNKNOWN;
    if (value.is !== 'receiver')
      return this.#member(value, name).flatMap((method) => this.#returned(method, node, scope));
    if (value.receiver === 'elsewhere') return [value];
    if (value.receiver === 'builder')
      return [name.startsWith('reconcile') ? { is: 'receiver', receiver: 'controller', own: value.own } : value];
    if (value.receiver === 'client') return name === 'metadataOnly' || name === 'intercepted' ? [value] : UNKNOWN;
    if (value.receiver !== 'manager') return UNKNOWN;
    if (name === 'cluster') return [{ is: 'receiver', receiver: 'elsewhere', own: [] }];
    if (name !== 'controller' || argument === undefined) return UNKNOWN;
    return [{ is: 'receiver', receiver: 'builder', own: this.valuesOf(argument, scope) }];
  }

  #returned(value: Value, node: Node, scope: Scope): Values {
    if (value.is === 'symbol' && value.module === CLIENT && value.name === 'connect') return [receiver('client')];
    if (value.is === 'symbol' && value.module === OPERATOR && value.name === 'defineResource') {
      const [options] = node.arguments as Node[];
      return options === undefined ? UNKNOWN : [{ is: 'resource', options, scope }];
    }
    if (value.is !== 'function') return UNKNOWN;
    const { node: called, scope: outer } = value;
    const inner = outer.module.scopeOf(called);
    const annotation = (called.returnType as Node | null | undefined)?.typeAnnotation as Node | undefined;
    if (annotation !== undefined) return this.typeValues(annotation, inner);
    const body = called.body as Node;
    return body.type === 'BlockStatement' ? UNKNOWN : this.valuesOf(body, inner);
  }

  #made(node: Node, scope: Scope): Values {
    return this.valuesOf(node.callee as Node, scope).flatMap((value): Values => {
      if (value.is === 'symbol') return typed(TYPES[value.module]?.[value.name]);
      return value.is === 'record' ? [value] : UNKNOWN;
    });
  }

  #lookUp(name: string, scope: Scope): Values {
    const binding = scope.find(name);
    return binding === undefined ? (name === 'undefined' ? [] : UNKNOWN) : this.#bound(name, binding);
  }

  #bound(name: string, binding: Binding): Values {
    const known = this.#knownBindings.get(binding);
    if (known !== undefined) return known;
    this.#knownBindings.set(binding, []);
    const values = distinct(this.#boundValues(binding));
    const { module } = binding.scope;
    // An export that the sources do not explain can be read from the loaded module.
    const isLoadable = binding.scope === module.top && binding.origin.is === 'value' && module.exports.has(name);
    const isVague = values.every(({ is }) => is === 'unknown' || is === 'resource');
    const symbol: Value = { is: 'symbol', module: module.path, name, isProject: true };
    const found = isLoadable && isVague ? [symbol, ...values.filter(({ is }) => is === 'resource')] : values;
    this.#knownBindings.set(binding, found);
    return found;
  }

  #boundValues({ origin, path, scope, type, otherwise }: Binding): Values {
    const typedValues = type === undefined ? [] : this.typeValues(type, scope);
    const whole = (): Values => {
      switch (origin.is) {
        case 'import':
          return this.#importedBy(scope.module, origin.from, origin.name);
        case 'declaration':
          return origin.node.type === 'ClassDeclaration'
            ? this.#instance(origin.node, scope)
            : isFunction(origin.node)
              ? [{ is: 'function', node: origin.node, scope }]
              : UNKNOWN;
        case 'value': {
          const values = this.valuesOf(origin.node, scope.module.scopeOf(origin.node));
          return origin.isIterated ? values.flatMap(elementsOf) : values;
        }
        case 'parameter':
          return this.#parameter(origin.of, origin.index, scope);
      }
    };
    const isTold = typedValues.some(({ is }) => is !== 'unknown');
    const values = isTold ? typedValues : whole();
    const parts = path.reduce<Values>((from, step) => from.flatMap((value) => this.#part(value, step)), values);
    return otherwise === undefined ? parts : [...parts, ...this.valuesOf(otherwise, scope)];
  }

  #part(value: Value, step: string | number): Values {
    if (typeof step === 'string') return this.#member(value, step);
    return value.is === 'list' ? (value.items[step] ?? []) : UNKNOWN;
  }

  #importedBy(module: SourceModule, from: string, name: string): Values {
    const target = this.#modules.resolve(module, from);
    if (target !== undefined) return this.#imported(target.path, name, true);
    return from.startsWith('.') ? UNKNOWN : this.#imported(from, name, false);
  }

  #imported(path: string, name: string, isProject: boolean): Values {
    if (!isProject || name === '*') return [{ is: 'symbol', module: path, name, isProject }];
    const module = this.#modules.open(path);
    const given = module.exports.get(name);
    if (given !== undefined && 'from' in given) return this.#importedBy(module, given.from, given.name);
    if (given !== undefined) return this.#lookUp(given.local, module.top);
    for (const from of module.reexported) {
      const target = this.#modules.resolve(module, from);
      const found = target === undefined ? UNKNOWN : this.#imported(target.path, name, true);
      if (found.some(({ is }) => is !== 'unknown')) return found;
      if (target === undefined && !from.startsWith('.'))
        return [{ is: 'symbol', module: from, name, isProject: false }];
    }
    return UNKNOWN;
  }

  /** Evaluates a parameter by the function that receives this one as an argument, or else by the callers. */
  #parameter(node: Node, index: number, scope: Scope): Values {
    const handed = this.#handedOver(node, index, scope);
    if (handed !== undefined) return handed;
    const calls = this.#callersOf(node, scope);
    if (calls.length === 0) return UNKNOWN;
    return calls.flatMap(({ node: call, scope: from }) => {
      const given = (call.arguments as Node[]).slice(0, index + 1);
      if (given.some(({ type }) => type === 'SpreadElement')) return UNKNOWN;
      return given[index] === undefined ? [] : this.valuesOf(given[index], from);
    });
  }

  #handedOver(node: Node, index: number, { module, parent }: Scope): Values | undefined {
    const outer = parent ?? module.top;
    const holder = module.parentOf(node);
    if (holder?.type === 'VariableDeclarator' || holder?.type === 'TSSatisfiesExpression') {
      const type =
        holder.type === 'VariableDeclarator' ? annotationOf(holder.id as Node) : (holder.typeAnnotation as Node);
      return type === undefined || index !== 1 ? undefined : this.#reconcileOf(type, outer);
    }
    const callee = holder && isCall(holder) && holder.callee !== node ? (holder.callee as Node) : undefined;
    if (callee === undefined || !isMember(callee)) return undefined;
    const name = nameOf(callee.property as Node);
    const object = (): Values => this.valuesOf(callee.object as Node, outer);
    if (name === 'reconcile' && index === 1) {
      const own = object().flatMap((value) => (value.is === 'receiver' ? value.own : []));
      return [{ is: 'receiver', receiver: 'context', own }];
    }
    if (name === 'reconcileRequests' && index === 1) return [receiver('context')];
    return EACH.has(name) && index === 0 ? object().flatMap(elementsOf) : undefined;
  }

  /** Returns the context of a function with the type `Reconcile<Kind>`. */
  #reconcileOf(type: Node, scope: Scope): Values | undefined {
    const name = type.type === 'TSTypeReference' ? nameOf(type.typeName as Node) : '';
    const origin = scope.find(name)?.origin;
    if (origin?.is !== 'import' || origin.from !== OPERATOR) return undefined;
    if (origin.name === 'ReconcileRequest') return [receiver('context')];
    return origin.name === 'Reconcile'
      ? [{ is: 'receiver', receiver: 'context', own: this.#firstArgument(type, scope) }]
      : undefined;
  }

  /** Returns the callers of a function. Methods match by name only, which may find too many callers. */
  #callersOf(node: Node, { module }: Scope): readonly Call[] {
    const methodName = methodNameOf(node, module);
    if (methodName !== undefined) {
      this.#callsByMethod ??= groupBy(this.#calls, ({ node: { callee } }) =>
        isMember(callee as Node) ? nameOf((callee as Node).property as Node) : undefined,
      );
      return this.#callsByMethod.get(methodName) ?? [];
    }
    this.#callers ??= this.#findCallers();
    return this.#callers.get(node) ?? [];
  }

  /** Finds callers by name. Callers of functions that are passed as values stay unknown. */
  #findCallers(): Map<Node, Call[]> {
    const callers = new Map<Node, Call[]>();
    for (const call of this.#calls) {
      const callee = call.node.callee as Node;
      const named = isMember(callee) ? (callee.object as Node) : callee;
      const origin = named.type === 'Identifier' ? call.scope.find(nameOf(named))?.origin : undefined;
      const isImport = origin?.is === 'import';
      const isFunctionOf = origin !== undefined && 'node' in origin && isFunction(origin.node);
      if (!isImport && (isMember(callee) || !isFunctionOf)) continue;
      for (const value of this.valuesOf(callee, call.scope))
        if (value.is === 'function') callers.set(value.node, [...(callers.get(value.node) ?? []), call]);
    }
    return callers;
  }

  /** Returns the members of the objects of a class. */
  #instance(node: Node | undefined, scope: Scope): Values {
    if (node === undefined) return UNKNOWN;
    const { module } = scope;
    const member = (name: string): Values => {
      const members = (node.body as Node).body as Node[];
      const found = members.find((each) => each.key !== undefined && nameOf(each.key as Node) === name);
      if (found === undefined) return UNKNOWN;
      const inner = module.scopeOf(found);
      const type = annotationOf(found) ?? ((found.returnType as Node | null)?.typeAnnotation as Node | undefined);
      if (isFunction(found) && found.kind !== 'get') return [{ is: 'function', node: found, scope: inner }];
      if (type !== undefined) return this.typeValues(type, inner);
      return found.value ? this.valuesOf(found.value as Node, inner) : UNKNOWN;
    };
    return [{ is: 'record', member }];
  }

  /** Returns the possible values of a type. */
  typeValues(type: Node, scope: Scope): Values {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    this.#known.set(type, []);
    const values = distinct(this.#evaluateType(type, scope));
    this.#known.set(type, values);
    return values;
  }

  #evaluateType(type: Node, scope: Scope): Values {
    switch (type.type) {
      case 'TSUnionType':
      case 'TSIntersectionType':
        return (type.types as Node[])
          .flatMap((each) => this.typeValues(each, scope))
          .filter(({ is }, _index, all) => is !== 'unknown' || all.length === 1);
      case 'TSTypeOperator':
      case 'TSParenthesizedType':
        return this.typeValues(type.typeAnnotation as Node, scope);
      case 'TSArrayType':
        return [{ is: 'list', items: [this.typeValues(type.elementType as Node, scope)] }];
      case 'TSTypeLiteral':
        return [this.#shape(type.members as Node[], scope)];
      case 'TSTypeQuery':
        return (type.exprName as Node).type === 'Identifier'
          ? this.#lookUp(nameOf(type.exprName as Node), scope)
          : UNKNOWN;
      case 'TSIndexedAccessType': {
        const index = (type.indexType as Node).literal as Node | undefined;
        const whole = this.typeValues(type.objectType as Node, scope);
        return index === undefined ? UNKNOWN : whole.flatMap((value) => this.#member(value, nameOf(index)));
      }
      case 'TSTypeReference':
        return this.#named(type, scope);
      default:
        return UNKNOWN;
    }
  }

  #named(type: Node, scope: Scope): Values {
    const typeName = type.typeName as Node;
    if (typeName.type !== 'Identifier') return UNKNOWN;
    const name = nameOf(typeName);
    const declared = scope.findType(name);
    if (declared !== undefined) return this.#declaredType(declared.node, declared.scope);
    const binding = scope.find(name);
    if (binding?.origin.is === 'import')
      return this.#importedType(binding.origin.from, binding.origin.name, type, scope);
    if (binding?.origin.is === 'declaration') return this.#instance(binding.origin.node, binding.scope);
    if (WRAPPERS.has(name)) return this.#firstArgumentType(type, scope);
    return LISTS.has(name) ? [{ is: 'list', items: [this.#firstArgumentType(type, scope)] }] : UNKNOWN;
  }

  #importedType(from: string, name: string, type: Node, scope: Scope): Values {
    const known = TYPES[from]?.[name];
    if (known !== undefined) return [{ is: 'receiver', receiver: known, own: this.#firstArgument(type, scope) }];
    let module = this.#modules.resolve(scope.module, from);
    let local = name;
    for (let given = module?.exports.get(local); given !== undefined && module !== undefined; ) {
      if ('local' in given) {
        const node = module.top.types.get(given.local);
        if (node !== undefined) return this.#declaredType(node, module.top);
        const origin = module.top.find(given.local)?.origin;
        return origin?.is === 'declaration' ? this.#instance(origin.node, module.top) : UNKNOWN;
      }
      const beyond = TYPES[given.from]?.[given.name];
      if (beyond !== undefined) return typed(beyond);
      [module, local] = [this.#modules.resolve(module, given.from), given.name];
      given = module?.exports.get(local);
    }
    return UNKNOWN;
  }

  #declaredType(node: Node, scope: Scope): Values {
    if (node.type === 'TSTypeAliasDeclaration') return this.typeValues(node.typeAnnotation as Node, scope);
    return [this.#shape((node.body as Node).body as Node[], scope)];
  }

  #shape(members: readonly Node[], scope: Scope): Value {
    return {
      is: 'record',
      member: (name) => {
        const found = members.find((each) => each.type === 'TSPropertySignature' && nameOf(each.key as Node) === name);
        const type = found && annotationOf(found);
        return type === undefined ? UNKNOWN : this.typeValues(type, scope);
      },
    };
  }

  #firstArgumentType(type: Node, scope: Scope): Values {
    const [first] = argumentsOf(type);
    return first === undefined ? UNKNOWN : this.typeValues(first, scope);
  }

  /** Evaluates a type argument as a value: a kind is a type and a value of one name. */
  #firstArgument(type: Node, scope: Scope): Values {
    const [first] = argumentsOf(type);
    const name = first?.type === 'TSTypeReference' ? (first.typeName as Node) : undefined;
    return name?.type === 'Identifier' ? this.#lookUp(nameOf(name), scope) : UNKNOWN;
  }
}

/** Maximum of possible values. An expression with more is unknown. */
const MAX_VALUES = 50;

function distinct(values: Values): Values {
  if (values.length < 2) return values;
  const found = new Map<unknown, Value>();
  for (const value of values) {
    found.set(keyOf(value), value);
    if (found.size > MAX_VALUES) return [...found.values(), ...UNKNOWN];
  }
  return [...found.values()];
}

function keyOf(value: Value): unknown {
  if (value.is === 'symbol') return `${value.module} ${value.name}`;
  if (value.is === 'receiver' && value.own === UNKNOWN) return value.receiver;
  return value.is === 'unknown' ? 'unknown' : value.is === 'function' ? value.node : value;
}

function receiver(known: Known): Value {
  return { is: 'receiver', receiver: known, own: UNKNOWN };
}

function typed(known: Known | undefined): Values {
  return known === undefined ? UNKNOWN : [receiver(known)];
}

function argumentsOf(type: Node): Node[] {
  const parameters = (type.typeParameters ?? type.typeArguments) as Node | null | undefined;
  return (parameters?.params ?? []) as Node[];
}

function elementsOf(value: Value): Values {
  if (value.is === 'list') return value.items.flat();
  return value.is === 'record' && value.members !== undefined ? value.members().flat() : UNKNOWN;
}

function isCall({ type }: Node): boolean {
  return type === 'CallExpression' || type === 'OptionalCallExpression' || type === 'NewExpression';
}

/** True for `object.name` and `object?.name`. */
export function isMember(node: Node): boolean {
  return (node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression') && !node.computed;
}

function isFunctionLike(type: string): boolean {
  return type.endsWith('Method') || type.endsWith('Property') || type === 'ClassBody';
}

function methodNameOf(node: Node, module: SourceModule): string | undefined {
  if (node.key !== undefined && node.key !== null)
    return node.kind === 'constructor' ? undefined : nameOf(node.key as Node);
  const holder = module.parentOf(node);
  const isMethod =
    holder?.type === 'ClassProperty' || holder?.type === 'ClassPrivateProperty' || holder?.type === 'ObjectProperty';
  return isMethod ? nameOf(holder.key as Node) : undefined;
}

function enclosing(node: Node, { module }: Scope, isMeant: (node: Node) => boolean): Node | undefined {
  let at = module.parentOf(node);
  while (at !== undefined && !isMeant(at)) at = module.parentOf(at);
  return at;
}

function groupBy(calls: readonly Call[], keyOf: (call: Call) => string | undefined): Map<string, Call[]> {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = keyOf(call);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return groups;
}
