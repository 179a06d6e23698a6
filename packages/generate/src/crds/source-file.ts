import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type ParseResult, parse } from '@babel/parser';
import { SourceError, type SourceLocation } from '../errors.ts';
import { type Comment, type Doc, docOf } from '../sources/tags.ts';

type Statement = ParseResult['program']['body'][number];
type InterfaceNode = Extract<Statement, { type: 'TSInterfaceDeclaration' }>;
type AliasNode = Extract<Statement, { type: 'TSTypeAliasDeclaration' }>;
type EnumNode = Extract<Statement, { type: 'TSEnumDeclaration' }>;
export type Member = InterfaceNode['body']['body'][number];
export type TypeNode = AliasNode['typeAnnotation'];

/** A named type. */
export interface Declaration {
  readonly name: string;
  readonly file: SourceFile;
  readonly doc: Doc;
  readonly location: SourceLocation;
  readonly node: InterfaceNode | AliasNode | EnumNode;
}

/** An imported name. */
interface Imported {
  readonly from: string;
  readonly name: string;
}

/** The types of a module. */
export class SourceFile {
  readonly path: string;
  /** Path for messages. */
  readonly shown: string;
  readonly declarations = new Map<string, Declaration>();
  readonly imports = new Map<string, Imported>();
  /** Modules that are re-exported as a whole. */
  readonly reexported: string[] = [];
  /** First comment of the file, when it has `@groupName` or `@versionName`. */
  readonly doc: Doc;

  constructor(path: string, root: string) {
    this.path = path;
    this.shown = relative(root, path);
    const { program, comments } = this.#parse(readFileSync(path, 'utf8'));
    const all = (comments ?? []) as readonly Comment[];
    this.doc = { tags: all.flatMap((comment) => docOf(this.shown, [comment]).tags.filter(isAboutFile)) };
    for (const statement of program.body) this.#collect(statement);
  }

  locationOf(node: {
    readonly loc?: { readonly start: { readonly line: number } } | null | undefined;
  }): SourceLocation {
    return { file: this.shown, line: node.loc?.start.line ?? 1 };
  }

  #parse(text: string): ParseResult {
    try {
      return parse(text, { sourceType: 'module', plugins: ['typescript'], attachComment: true });
    } catch (error) {
      const { loc, message } = error as { loc?: { line: number }; message: string };
      throw new SourceError({ file: this.shown, line: loc?.line ?? 1 }, message);
    }
  }

  #collect(statement: Statement): void {
    if (statement.type === 'ImportDeclaration')
      for (const each of statement.specifiers) {
        if (each.type !== 'ImportSpecifier') continue;
        const name = each.imported.type === 'Identifier' ? each.imported.name : each.imported.value;
        this.imports.set(each.local.name, { from: statement.source.value, name });
      }
    else if (statement.type === 'ExportAllDeclaration') this.reexported.push(statement.source.value);
    else if (statement.type === 'ExportNamedDeclaration') this.#collectExport(statement);
    else this.#declare(statement, statement.leadingComments);
  }

  #collectExport(statement: Extract<Statement, { type: 'ExportNamedDeclaration' }>): void {
    const { declaration, source, specifiers, leadingComments } = statement;
    if (declaration) this.#declare(declaration, declaration.leadingComments ?? leadingComments);
    for (const each of specifiers) {
      if (each.type !== 'ExportSpecifier' || !source) continue;
      const name = each.exported.type === 'Identifier' ? each.exported.name : each.exported.value;
      this.imports.set(name, { from: source.value, name: each.local.name });
    }
  }

  #declare(node: Statement, comments: Statement['leadingComments']): void {
    if (
      node.type !== 'TSInterfaceDeclaration' &&
      node.type !== 'TSTypeAliasDeclaration' &&
      node.type !== 'TSEnumDeclaration'
    )
      return;
    const { name } = node.id;
    const doc = docOf(this.shown, comments);
    this.declarations.set(name, { name, file: this, doc, location: this.locationOf(node), node });
  }
}

function isAboutFile({ name }: { readonly name: string }): boolean {
  return name === 'groupName' || name === 'versionName';
}

/** Reads the modules of a program, each once. */
export class SourceFiles {
  readonly #root: string;
  readonly #files = new Map<string, SourceFile>();

  constructor(root: string) {
    this.#root = root;
  }

  open(path: string): SourceFile {
    const full = resolve(this.#root, path);
    const file = this.#files.get(full) ?? new SourceFile(full, this.#root);
    this.#files.set(full, file);
    return file;
  }

  /** Returns the declaration of a name in a file, or the package that it comes from. */
  find(
    name: string,
    file: SourceFile,
    seen = new Set<string>(),
  ): Declaration | { readonly from: string; readonly name: string } | undefined {
    const own = file.declarations.get(name);
    if (own !== undefined) return own;
    const key = `${file.path}#${name}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    const imported = file.imports.get(name);
    if (imported !== undefined) {
      if (!imported.from.startsWith('.')) return imported;
      const target = this.#resolve(file, imported.from);
      return target && this.find(imported.name, target, seen);
    }
    for (const from of file.reexported) {
      const target = from.startsWith('.') ? this.#resolve(file, from) : undefined;
      const found = target && this.find(name, target, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #resolve(file: SourceFile, from: string): SourceFile | undefined {
    const path = join(dirname(file.path), from);
    const candidates = [path, path.replace(/\.js$/, '.ts'), `${path}.ts`, join(path, 'index.ts')];
    const found = candidates.find((candidate) => candidate.endsWith('.ts') && existsSync(candidate));
    return found === undefined ? undefined : this.open(found);
  }
}
