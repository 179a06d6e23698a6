import type { SchemaDescriptions } from '@pintle/operator';
import type { Scope } from '../sources/source-module.ts';
import type { Node } from '../sources/syntax-tree.ts';
import { type Comment, docOf } from '../sources/tags.ts';
import { type Expression, type Expressions, memberOf, propertyName, returnedBy } from './expressions.ts';

/** Descriptions of a schema. Shared, and therefore never changed. */
interface FoundDescriptions {
  readonly description?: string;
  readonly properties?: ReadonlyMap<string, FoundDescriptions>;
  readonly items?: FoundDescriptions;
  readonly additionalProperties?: FoundDescriptions;
}

const NOTHING: FoundDescriptions = {};
const OBJECTS: ReadonlySet<string> = new Set(['object', 'strictObject', 'looseObject']);
const EXTENSIONS: ReadonlySet<string> = new Set(['extend', 'safeExtend']);
/** Functions that combine schemas, all of whose fields are possible. */
const TOGETHER: ReadonlySet<string> = new Set('and discriminatedUnion intersection merge or union xor'.split(' '));
const RECORDS: ReadonlySet<string> = new Set(['record', 'partialRecord', 'looseRecord']);

/**
 * Reads JSDoc comments of properties of schemas in the sources: Zod schemas, and functions that return their argument. The
 * comment of a property takes precedence over that of the constant that holds its schema.
 */
export class SchemaComments {
  readonly #expressions: Expressions;
  readonly #known = new Map<Node, FoundDescriptions>();
  readonly #knownShapes = new Map<Node, ReadonlyMap<string, FoundDescriptions>>();

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
  }

  /** Returns the descriptions of a schema that is a property of an object. */
  ofProperty({ node, scope }: Expression): SchemaDescriptions {
    return written(this.#property(node, scope));
  }

  #property(node: Node, scope: Scope): FoundDescriptions {
    const value = node.value ? { node: node.value as Node, scope } : returnedBy(node, scope);
    const inside = value === undefined ? NOTHING : this.#of(value.node, value.scope);
    const description = commentOf(node, scope);
    return description === undefined ? inside : { ...inside, description };
  }

  #of(node: Node, scope: Scope): FoundDescriptions {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    // A recursive schema adds nothing to itself.
    this.#known.set(node, NOTHING);
    const found = this.#read(node, scope);
    this.#known.set(node, found);
    return found;
  }

  #read(node: Node, scope: Scope): FoundDescriptions {
    const resolved = this.#expressions.resolve(node, scope);
    if (resolved === undefined || !('node' in resolved)) return NOTHING;
    if (resolved.node !== node) {
      const description = declarationComment(resolved);
      const inside = this.#of(resolved.node, resolved.scope);
      return description === undefined ? inside : { description, ...inside };
    }
    if (node.type === 'CallExpression' || node.type === 'OptionalCallExpression') return this.#called(node, scope);
    return this.#member(node, scope);
  }

  /** Reads members such as `Crate.shape.size` and `Crates.element`. */
  #member(node: Node, scope: Scope): FoundDescriptions {
    const member = memberOf(node);
    if (member === undefined) return NOTHING;
    if (member.name === 'element') return this.#of(member.object, scope).items ?? NOTHING;
    const shape = memberOf(member.object);
    if (shape?.name !== 'shape') return NOTHING;
    return this.#of(shape.object, scope).properties?.get(member.name) ?? NOTHING;
  }

  #called(node: Node, scope: Scope): FoundDescriptions {
    const callee = node.callee as Node;
    const given = node.arguments as Node[];
    const called = this.#expressions.resolve(callee, scope);
    if (called !== undefined && 'node' in called && called.node !== callee) {
      const returned = returnedBy(called.node, called.scope);
      const found = returned === undefined ? NOTHING : this.#of(returned.node, returned.scope);
      return found === NOTHING && given[0] !== undefined ? this.#of(given[0], scope) : found;
    }
    const member = memberOf(callee);
    const name = member?.name ?? (callee.type === 'Identifier' ? this.#nameIn(called) : '');
    const receiver = member === undefined || this.#isLibrary(member.object, scope) ? undefined : member.object;
    return this.#made(name, receiver, given, scope);
  }

  /** Reads the schema that a function of a library, or a method of a schema, builds from its arguments. */
  #made(name: string, receiver: Node | undefined, given: readonly Node[], scope: Scope): FoundDescriptions {
    const schemas = (): FoundDescriptions[] =>
      [...(receiver ? [receiver] : []), ...given].flatMap((each) => this.#all(each, scope));
    const [first] = receiver === undefined ? given : [receiver];
    if (receiver === undefined && OBJECTS.has(name))
      return first === undefined ? NOTHING : { properties: this.#shape(first, scope) };
    if (EXTENSIONS.has(name)) return this.#extended(first, given.at(-1), scope);
    if (TOGETHER.has(name)) return schemas().reduce(together, NOTHING);
    if (first === undefined) return NOTHING;
    if (name === 'array') return { items: this.#of(first, scope) };
    if (receiver === undefined && RECORDS.has(name)) return { additionalProperties: this.#of(given.at(-1)!, scope) };
    if (name === 'catchall') return { ...this.#of(first, scope), additionalProperties: this.#of(given.at(-1)!, scope) };
    const lazy = returnedBy(first, scope);
    return lazy === undefined ? this.#of(first, scope) : this.#of(lazy.node, lazy.scope);
  }

  #extended(base: Node | undefined, shape: Node | undefined, scope: Scope): FoundDescriptions {
    if (base === undefined || shape === undefined) return NOTHING;
    const found = this.#of(base, scope);
    return { ...found, properties: new Map([...(found.properties ?? []), ...this.#shape(shape, scope)]) };
  }

  /** Reads a schema, or each schema of a list. */
  #all(node: Node, scope: Scope): FoundDescriptions[] {
    const resolved = this.#expressions.resolve(node, scope);
    if (resolved === undefined || !('node' in resolved) || resolved.node.type !== 'ArrayExpression')
      return [this.#of(node, scope)];
    const elements = (resolved.node.elements as (Node | null)[]).filter((each) => each !== null);
    return elements.flatMap((each) => this.#all((each.argument ?? each) as Node, resolved.scope));
  }

  /** Reads the properties of an object of schemas; later ones override earlier ones. */
  #shape(node: Node, scope: Scope): ReadonlyMap<string, FoundDescriptions> {
    const known = this.#knownShapes.get(node);
    if (known !== undefined) return known;
    this.#knownShapes.set(node, new Map());
    const shape = this.#readShape(node, scope);
    this.#knownShapes.set(node, shape);
    return shape;
  }

  #readShape(node: Node, scope: Scope): ReadonlyMap<string, FoundDescriptions> {
    const resolved = this.#expressions.resolve(node, scope);
    if (resolved === undefined || !('node' in resolved)) return new Map();
    if (resolved.node !== node) return this.#shape(resolved.node, resolved.scope);
    const member = memberOf(node);
    if (member?.name === 'shape') return this.#of(member.object, scope).properties ?? new Map();
    if (node.type !== 'ObjectExpression') return this.#returnedShape(node, scope);
    const found = new Map<string, FoundDescriptions>();
    for (const property of node.properties as Node[]) {
      const name = propertyName(property);
      if (property.type === 'SpreadElement')
        for (const [key, each] of this.#shape(property.argument as Node, scope)) found.set(key, each);
      else if (name !== undefined) found.set(name, this.#property(property, scope));
    }
    return found;
  }

  #returnedShape(node: Node, scope: Scope): ReadonlyMap<string, FoundDescriptions> {
    const called = node.type === 'CallExpression' ? this.#expressions.resolve(node.callee as Node, scope) : undefined;
    const returned = called !== undefined && 'node' in called ? returnedBy(called.node, called.scope) : undefined;
    return returned === undefined ? new Map() : this.#shape(returned.node, returned.scope);
  }

  /** True for a module or object of a package, such as `z`. */
  #isLibrary(node: Node, scope: Scope): boolean {
    const resolved = this.#expressions.resolve(node, scope);
    return resolved !== undefined && 'from' in resolved;
  }

  #nameIn(called: ReturnType<Expressions['resolve']>): string {
    return called !== undefined && 'from' in called ? called.name : '';
  }
}

/** Returns the comment of the constant or property whose value an expression is. */
export function declarationComment({ node, scope }: Expression): string | undefined {
  const { module } = scope;
  const declarator = module.parentOf(node);
  if (declarator?.type === 'ExportDefaultDeclaration' || declarator?.type === 'ObjectProperty')
    return commentOf(declarator, scope);
  const declaration = declarator?.type === 'VariableDeclarator' ? module.parentOf(declarator) : undefined;
  if (declaration === undefined || (declaration.declarations as Node[]).length !== 1) return undefined;
  const statement = module.parentOf(declaration);
  return commentOf(statement?.type === 'ExportNamedDeclaration' ? statement : declaration, scope);
}

function commentOf(node: Node, { module }: Scope): string | undefined {
  const siblings = (module.parentOf(node)?.properties ?? []) as Node[];
  const before = siblings[siblings.indexOf(node) - 1];
  const comments = (node.leadingComments ?? []) as Located<Comment>[];
  return docOf(
    module.shown,
    // A comment at the end of a line belongs to the property of that line.
    comments.filter(
      ({ loc }) => loc.start.line !== (before as Located | undefined)?.loc.end.line || isOnLineOf(loc, node as Located),
    ),
  ).description;
}

type Located<T = Node> = T & { readonly loc: { readonly start: { line: number }; readonly end: { line: number } } };

function isOnLineOf({ end }: Located['loc'], { loc }: Located): boolean {
  return end.line === loc.start.line;
}

/** Merges both; a text of the first takes precedence. */
function together(a: FoundDescriptions, b: FoundDescriptions): FoundDescriptions {
  const description = a.description ?? b.description;
  const items = a.items && b.items ? together(a.items, b.items) : (a.items ?? b.items);
  const values = [a.additionalProperties, b.additionalProperties].filter((each) => each !== undefined);
  const properties = new Map(a.properties);
  for (const [name, each] of b.properties ?? []) {
    const mine = properties.get(name);
    properties.set(name, mine === undefined ? each : together(mine, each));
  }
  return {
    ...(description !== undefined && { description }),
    ...(properties.size > 0 && { properties }),
    ...(items && { items }),
    ...(values.length > 0 && { additionalProperties: values.reduce(together) }),
  };
}

/** Returns the form for files, without empty parts. */
function written({
  description,
  properties = new Map<string, FoundDescriptions>(),
  items,
  additionalProperties,
}: FoundDescriptions): SchemaDescriptions {
  const fields = [...properties]
    .map(([name, each]) => [name, written(each)] as const)
    .filter(([, each]) => Object.keys(each).length > 0);
  const [inItems, inValues] = [items, additionalProperties].map((each) => each && written(each));
  return {
    ...(description !== undefined && { description }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
    ...(inItems && Object.keys(inItems).length > 0 && { items: inItems }),
    ...(inValues && Object.keys(inValues).length > 0 && { additionalProperties: inValues }),
  };
}
