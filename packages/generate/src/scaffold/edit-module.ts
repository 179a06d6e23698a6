import type { ParseResult } from '@babel/parser';
import { parse } from '@babel/parser';
import MagicString from 'magic-string';
import { GenerateError } from '../errors.ts';

export interface NamedImport {
  readonly name: string;
  /** Name in the module that imports it. Default: the same. */
  readonly local?: string;
  readonly from: string;
}

type Statement = ParseResult['program']['body'][number];

/** Adds an import after the others, unless the module has it. Returns the module. */
export function addImport(path: string, text: string, { name, local: own = name, from }: NamedImport): string {
  const body = parsed(path, text);
  const imports = body.filter((statement) => statement.type === 'ImportDeclaration');
  const isThere = imports.some(
    ({ source, specifiers }) => source.value === from && specifiers.some(({ local }) => local.name === own),
  );
  if (isThere) return text;
  const edited = new MagicString(text);
  const line = `import { ${name === own ? name : `${name} as ${own}`} } from '${from}';\n`;
  const last = imports.at(-1);
  if (last === undefined) edited.prepend(`${line}\n`);
  else edited.appendRight(endOfLine(text, last.end!), line);
  return edited.toString();
}

/** Adds a statement at the end of a function, unless the function has the same call. Returns the module. */
export function addCall(path: string, text: string, inside: string, callee: string, statement: string): string {
  const found = findFunction(parsed(path, text), inside);
  if (found === undefined) {
    const detail = `it has no function ${inside} to add \`${statement}\` to; add that line where it belongs`;
    throw new GenerateError({ code: 'CannotEdit', path, detail });
  }
  if (found.body.some((each) => callsTo(each, callee))) return text;
  const edited = new MagicString(text);
  const last = found.body.at(-1);
  const at = last === undefined ? found.start + 1 : last.end!;
  edited.appendRight(at, last === undefined ? `\n  ${statement}` : `\n  ${statement}`);
  const isOnOneLine = text.slice(at, found.end).trimEnd() === '}' && !text.slice(at, found.end).includes('\n');
  if (isOnOneLine) edited.appendRight(at, '\n');
  return edited.toString();
}

/** Throws CannotEdit when the module cannot be parsed. */
export function parsed(path: string, text: string): Statement[] {
  try {
    return parse(text, { sourceType: 'module', plugins: ['typescript'] }).program.body;
  } catch (error) {
    const detail = `it cannot be parsed as TypeScript: ${(error as Error).message}`;
    throw new GenerateError({ code: 'CannotEdit', path, detail }, { cause: error });
  }
}

interface FunctionBody {
  readonly body: readonly { readonly type: string; readonly end?: number | null }[];
  readonly start: number;
  readonly end: number;
}

function findFunction(statements: readonly Statement[], name: string): FunctionBody | undefined {
  for (const statement of statements) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'FunctionDeclaration' || declared.id?.name !== name) continue;
    const { body, start, end } = declared.body;
    return { body, start: start!, end: end! };
  }
  return undefined;
}

function callsTo(statement: object, callee: string): boolean {
  const { type, expression } = statement as { type: string; expression?: { type: string; callee?: { name?: string } } };
  return type === 'ExpressionStatement' && expression?.type === 'CallExpression' && expression.callee?.name === callee;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}
