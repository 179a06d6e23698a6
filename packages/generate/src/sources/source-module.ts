import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type ParserPlugin, parse } from '@babel/parser';
import { GenerateError } from '../errors.ts';
import type { Node } from './syntax-tree.ts';

/** Steps from a value to a part of it: members by name, elements by index. */
export type Path = readonly (string | number)[];

/** Source of the value of a name. */
type Origin =
  | { readonly is: 'import'; readonly from: string; readonly name: string }
  | { readonly is: 'value'; readonly node: Node; readonly isIterated: boolean }
  | { readonly is: 'parameter'; readonly of: Node; readonly index: number }
  | { readonly is: 'declaration'; readonly node: Node };

/** A name in a scope. */
export interface Binding {
  readonly origin: Origin;
  readonly path: Path;
  readonly scope: Scope;
  /** Type annotation of the whole pattern, before the path. */
  readonly type?: Node | undefined;
  /** Default value in the pattern. */
  readonly otherwise?: Node | undefined;
}

/** A lexical scope with its names. */
export class Scope {
  readonly module: SourceModule;
  readonly parent: Scope | undefined;
  readonly values = new Map<string, Binding>();
  /** Interfaces and aliases; classes are among the values. */
  readonly types = new Map<string, Node>();

  constructor(module: SourceModule, parent: Scope | undefined) {
    this.module = module;
    this.parent = parent;
  }

  find(name: string): Binding | undefined {
    return this.values.get(name) ?? this.parent?.find(name);
  }

  findType(name: string): { readonly node: Node; readonly scope: Scope } | undefined {
    const node = this.types.get(name);
    return node === undefined ? this.parent?.findType(name) : { node, scope: this };
  }
}

/** An export of a module: a local binding, or a re-export. */
type Export = { readonly local: string } | { readonly from: string; readonly name: string };

const FUNCTIONS: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'FunctionExpression',
  'FunctionDeclaration',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
]);
const SCOPES: ReadonlySet<string> = new Set([
  ...FUNCTIONS,
  'BlockStatement',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'SwitchStatement',
  'CatchClause',
  'StaticBlock',
]);
const NOT_CHILDREN: ReadonlySet<string> = new Set([
  'loc',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'extra',
]);

/** Plugins for all syntax that TypeScript compiles. */
const PLUGINS: ParserPlugin[] = ['typescript', 'explicitResourceManagement', 'decorators', 'decoratorAutoAccessors'];

export function isFunction({ type }: Node): boolean {
  return FUNCTIONS.has(type);
}

/** A module of a project with its syntax tree and scopes. */
export class SourceModule {
  readonly path: string;
  /** Path for messages. */
  readonly shown: string;
  readonly top: Scope;
  readonly exports = new Map<string, Export>();
  /** Modules that are re-exported as a whole. */
  readonly reexported: string[] = [];
  /** Modules that are loaded with this one. */
  readonly loads: string[] = [];
  readonly nodes: Node[] = [];
  readonly #scopes = new Map<Node, Scope>();
  readonly #parents = new Map<Node, Node>();

  constructor(path: string, root: string) {
    this.path = path;
    this.shown = relative(root, path).replaceAll('\\', '/');
    this.top = new Scope(this, undefined);
    const program = this.#parse(readFileSync(path, 'utf8'));
    for (const statement of program.body as Node[]) this.#collectModule(statement);
    this.#visit(program, this.top);
  }

  scopeOf(node: Node): Scope {
    return this.#scopes.get(node) ?? this.top;
  }

  parentOf(node: Node): Node | undefined {
    return this.#parents.get(node);
  }

  lineOf({ loc }: Node): number {
    return (loc as { readonly start: { readonly line: number } } | undefined)?.start.line ?? 1;
  }

  #parse(text: string): Node {
    try {
      return parse(text, { sourceType: 'module', plugins: PLUGINS }).program as unknown as Node;
    } catch (error) {
      const { loc, message } = error as { loc?: { line: number }; message: string };
      const problems = [{ file: this.shown, line: loc?.line ?? 1, message }];
      throw new GenerateError({ code: 'BadCode', problems }, { cause: error });
    }
  }

  #collectModule(statement: Node): void {
    const source = statement.source as Node | null | undefined;
    const from = source?.value as string | undefined;
    const isType = statement.importKind === 'type' || statement.exportKind === 'type';
    if (from !== undefined && !isType) this.loads.push(from);
    if (statement.type === 'ImportDeclaration')
      for (const each of statement.specifiers as Node[]) this.#import(each, from ?? '');
    else if (statement.type === 'ExportAllDeclaration') this.reexported.push(from ?? '');
    else if (statement.type === 'ExportNamedDeclaration') this.#export(statement, from);
  }

  #import(specifier: Node, from: string): void {
    const name =
      specifier.type === 'ImportNamespaceSpecifier'
        ? '*'
        : specifier.type === 'ImportDefaultSpecifier'
          ? 'default'
          : nameOf(specifier.imported as Node);
    const origin: Origin = { is: 'import', from, name };
    this.top.values.set(nameOf(specifier.local as Node), { origin, path: [], scope: this.top });
  }

  #export(statement: Node, from: string | undefined): void {
    for (const each of statement.specifiers as Node[]) {
      if (each.type !== 'ExportSpecifier') continue;
      const [local, exported] = [nameOf(each.local as Node), nameOf(each.exported as Node)];
      this.exports.set(exported, from === undefined ? { local } : { from, name: local });
    }
    const declaration = statement.declaration as Node | null;
    if (!declaration) return;
    const declared = new Scope(this, undefined);
    this.#declare(declaration, declared);
    for (const name of [...declared.values.keys(), ...declared.types.keys()]) this.exports.set(name, { local: name });
  }

  #visit(node: Node, outer: Scope): void {
    this.nodes.push(node);
    const scope = SCOPES.has(node.type) ? new Scope(this, outer) : outer;
    this.#scopes.set(node, scope);
    const loaded = importedBy(node);
    if (loaded !== undefined) this.loads.push(loaded);
    if (isFunction(node)) this.#declareParameters(node, scope);
    if (node.type === 'ForOfStatement') this.#declareEach(node, scope);
    for (const child of childrenOf(node)) {
      this.#parents.set(child, node);
      this.#declare(child, scope, node);
    }
    for (const child of childrenOf(node)) this.#visit(child, scope);
  }

  /** Declares the names of a scope first, since they are visible before their declaration. */
  #declare(node: Node, scope: Scope, parent?: Node): void {
    const declaration = node.type === 'ExportNamedDeclaration' ? (node.declaration as Node | null) : node;
    if (!declaration) return;
    if (declaration.type === 'VariableDeclaration') {
      if (parent?.type === 'ForOfStatement' || parent?.type === 'ForInStatement') return;
      for (const { id, init } of declaration.declarations as { id: Node; init: Node | null }[]) {
        const origin: Origin = init
          ? { is: 'value', node: init, isIterated: false }
          : { is: 'declaration', node: declaration };
        bind(id, { origin, path: [], scope });
      }
    } else if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') {
      const id = declaration.id as Node | null;
      const origin: Origin = { is: 'declaration', node: declaration };
      if (id) scope.values.set(nameOf(id), { origin, path: [], scope });
    } else if (declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration')
      scope.types.set(nameOf(declaration.id as Node), declaration);
  }

  #declareParameters(node: Node, scope: Scope): void {
    for (const [index, parameter] of (node.params as Node[]).entries()) {
      const pattern = parameter.type === 'TSParameterProperty' ? (parameter.parameter as Node) : parameter;
      if (pattern.type === 'RestElement') continue;
      bind(pattern, { origin: { is: 'parameter', of: node, index }, path: [], scope });
    }
  }

  #declareEach(node: Node, scope: Scope): void {
    const left = node.left as Node;
    if (left.type !== 'VariableDeclaration') return;
    const [{ id } = { id: undefined }] = left.declarations as { id: Node }[];
    const origin: Origin = { is: 'value', node: node.right as Node, isIterated: true };
    if (id !== undefined) bind(id, { origin, path: [], scope });
  }
}

/** Returns the module that `import('…')` loads. */
export function importedBy(node: Node): string | undefined {
  const isImport = node.type === 'CallExpression' && (node.callee as Node).type === 'Import';
  const [from] = isImport ? (node.arguments as Node[]) : [];
  return from?.type === 'StringLiteral' ? (from.value as string) : undefined;
}

/** Binds every name of a pattern to its part of the value. */
function bind(pattern: Node, binding: Binding): void {
  const { scope, path } = binding;
  const type = binding.type ?? annotationOf(pattern);
  const whole = { ...binding, ...(type && { type }) };
  if (pattern.type === 'Identifier') scope.values.set(nameOf(pattern), whole);
  else if (pattern.type === 'AssignmentPattern')
    bind(pattern.left as Node, { ...whole, otherwise: pattern.right as Node });
  else if (pattern.type === 'ObjectPattern')
    for (const property of pattern.properties as Node[]) {
      if (property.type === 'RestElement') bind(property.argument as Node, whole);
      else if (!property.computed)
        bind(property.value as Node, { ...whole, path: [...path, nameOf(property.key as Node)] });
    }
  else if (pattern.type === 'ArrayPattern')
    for (const [index, element] of (pattern.elements as (Node | null)[]).entries())
      if (element && element.type !== 'RestElement') bind(element, { ...whole, path: [...path, index] });
}

/** Returns the type that follows a name's colon. */
export function annotationOf(node: Node): Node | undefined {
  const annotation = node.typeAnnotation as Node | null | undefined;
  return annotation?.type === 'TSTypeAnnotation' ? (annotation.typeAnnotation as Node) : undefined;
}

/** Returns the name of an identifier, a quoted name or a private name, which begins with `#`. */
export function nameOf(node: Node): string {
  if (node.type === 'PrivateName') return `#${nameOf(node.id as Node)}`;
  return String(node.name ?? node.value ?? '');
}

function* childrenOf(node: Node): Generator<Node> {
  for (const [field, value] of Object.entries(node)) {
    if (NOT_CHILDREN.has(field)) continue;
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) yield each;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

/** Reads the modules of a project, each once. */
export class SourceModules {
  readonly #root: string;
  readonly #modules = new Map<string, SourceModule>();

  constructor(root: string) {
    this.#root = root;
  }

  open(path: string): SourceModule {
    const known = this.#modules.get(path) ?? new SourceModule(path, this.#root);
    this.#modules.set(path, known);
    return known;
  }

  /** Resolves a specifier to a module of the project; `undefined` for packages and missing files. */
  resolve(module: SourceModule, from: string): SourceModule | undefined {
    if (!from.startsWith('.')) return undefined;
    const path = join(dirname(module.path), from);
    const candidates = [path, path.replace(/\.js$/, '.ts'), `${path}.ts`, join(path, 'index.ts')];
    const found = candidates.find((candidate) => candidate.endsWith('.ts') && existsSync(candidate));
    return found === undefined ? undefined : this.open(found);
  }

  /** Returns these modules and those that they load. */
  loadedWith(paths: readonly string[]): SourceModule[] {
    const found = new Set(paths.filter((path) => existsSync(path)).map((path) => this.open(path)));
    for (const module of found)
      for (const from of module.loads) {
        const target = this.resolve(module, from);
        if (target !== undefined) found.add(target);
      }
    return [...found];
  }
}
