import {
  type Binding,
  isFunction,
  nameOf,
  type Path,
  type Scope,
  type SourceModule,
  type SourceModules,
} from '../sources/source-module.ts';
import { type Node, WRAPPED } from '../sources/syntax-tree.ts';

/** An expression and the scope of its names. */
export interface Expression {
  readonly node: Node;
  readonly scope: Scope;
}

/** The meaning of a name: an expression of the project, or an export of a package. */
type Named = Expression | { readonly from: string; readonly name: string };

/** Resolves names through constants, members and modules, without running code. */
export class Expressions {
  readonly #modules: SourceModules;

  constructor(modules: SourceModules) {
    this.#modules = modules;
  }

  /** Resolves an expression; one that is not a name is returned as it is. `undefined` when only run time knows its value. */
  resolve(node: Node, scope: Scope, seen: ReadonlySet<unknown> = new Set()): Named | undefined {
    if (seen.has(node)) return undefined;
    const passed = new Set(seen).add(node);
    if (WRAPPED.has(node.type)) return this.resolve(node.expression as Node, scope, passed);
    if (node.type === 'Identifier') {
      const binding = scope.find(nameOf(node));
      return binding && this.#bound(binding, passed);
    }
    const member = memberOf(node);
    if (member === undefined) return { node, scope };
    const whole = this.resolve(member.object, scope, passed);
    // The caller interprets members of the result of a call.
    return (whole && this.#member(whole, member.name, passed)) ?? { node, scope };
  }

  /** Returns the members of an object literal, with those of spread objects, the last first. */
  members({ node, scope }: Expression, seen: ReadonlySet<unknown> = new Set()): Expression[] {
    if (node.type !== 'ObjectExpression' || seen.has(node)) return [];
    const passed = new Set(seen).add(node);
    return (node.properties as Node[]).toReversed().flatMap((property) => {
      if (property.type !== 'SpreadElement') return [{ node: property, scope }];
      const spread = this.resolve(property.argument as Node, scope, passed);
      return spread !== undefined && 'node' in spread ? this.members(spread, passed) : [];
    });
  }

  /** Returns a property of an object literal. */
  property(object: Expression, name: string): Expression | undefined {
    return this.members(object).find(({ node }) => propertyName(node) === name);
  }

  /** Returns the value of a string literal or of a concatenation of them. */
  text({ node, scope }: Expression, seen: ReadonlySet<unknown> = new Set()): string | undefined {
    const found = this.resolve(node, scope, seen);
    if (found === undefined || !('node' in found) || seen.has(found.node)) return undefined;
    if (found.node.type === 'StringLiteral') return found.node.value as string;
    if (found.node.type !== 'TemplateLiteral') return undefined;
    const passed = new Set(seen).add(found.node);
    const between = (found.node.expressions as Node[]).map((each) =>
      this.text({ node: each, scope: found.scope }, passed),
    );
    const quasis = (found.node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    return between.includes(undefined)
      ? undefined
      : quasis.map((text, index) => text + (between[index] ?? '')).join('');
  }

  #bound({ origin, path, scope }: Binding, seen: ReadonlySet<unknown>): Named | undefined {
    switch (origin.is) {
      case 'import':
        return this.#imported(scope.module, origin.from, origin.name, seen);
      case 'declaration':
        return { node: origin.node, scope };
      case 'value':
        return origin.isIterated
          ? undefined
          : this.#along(this.resolve(origin.node, scope.module.scopeOf(origin.node), seen), path, seen);
      case 'parameter':
        return undefined;
    }
  }

  #along(whole: Named | undefined, path: Path, seen: ReadonlySet<unknown>): Named | undefined {
    return path.reduce<Named | undefined>(
      (found, step) => (found && typeof step === 'string' ? this.#member(found, step, seen) : undefined),
      whole,
    );
  }

  #member(whole: Named, name: string, seen: ReadonlySet<unknown>): Named | undefined {
    if (!('node' in whole)) return whole.name === '*' ? { from: whole.from, name } : undefined;
    if (whole.node.type === 'Program') return this.#exported(whole.scope.module, name, seen);
    const property = this.members(whole, seen).find(({ node }) => propertyName(node) === name);
    return property && this.resolve((property.node.value ?? property.node) as Node, property.scope, seen);
  }

  #imported(module: SourceModule, from: string, name: string, seen: ReadonlySet<unknown>): Named | undefined {
    const target = this.#modules.resolve(module, from);
    if (target !== undefined) return this.#exported(target, name, seen);
    return from.startsWith('.') ? undefined : { from, name };
  }

  #exported(module: SourceModule, name: string, seen: ReadonlySet<unknown>): Named | undefined {
    const step = `${module.path} ${name}`;
    if (seen.has(step)) return undefined;
    const passed = new Set(seen).add(step);
    if (name === '*') return { node: module.nodes[0]!, scope: module.top };
    if (name === 'default') {
      const given = module.nodes.find(({ type }) => type === 'ExportDefaultDeclaration')?.declaration as
        | Node
        | undefined;
      if (given !== undefined) return this.resolve(given, module.top, passed);
    }
    const given = module.exports.get(name);
    if (given !== undefined && 'from' in given) return this.#imported(module, given.from, given.name, passed);
    if (given !== undefined) {
      const binding = module.top.find(given.local);
      return binding && this.#bound(binding, passed);
    }
    for (const from of module.reexported) {
      const target = this.#modules.resolve(module, from);
      const found = target && this.#exported(target, name, passed);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Returns the returned expression of a function with one return. */
export function returnedBy(node: Node, scope: Scope): Expression | undefined {
  if (!isFunction(node)) return undefined;
  const inner = scope.module.scopeOf(node);
  const body = node.body as Node;
  if (body.type !== 'BlockStatement') return { node: body, scope: inner };
  const returned = (body.body as Node[]).find(({ type }) => type === 'ReturnStatement')?.argument as Node | undefined;
  return returned && { node: returned, scope: scope.module.scopeOf(returned) };
}

/** Reads `object.name`, `object?.name` or `object['name']`. */
export function memberOf(node: Node): { readonly object: Node; readonly name: string } | undefined {
  if (node.type !== 'MemberExpression' && node.type !== 'OptionalMemberExpression') return undefined;
  const property = node.property as Node;
  if (node.computed && property.type !== 'StringLiteral') return undefined;
  return { object: node.object as Node, name: nameOf(property) };
}

/** Returns the name of a member of an object literal. */
export function propertyName(node: Node): string | undefined {
  const key = node.key as Node | undefined;
  if (key === undefined || (node.computed && key.type !== 'StringLiteral')) return undefined;
  return nameOf(key);
}
