import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import MagicString from 'magic-string';
import type { Changes } from '../project/changes.ts';
import { type Node, nodesOf } from '../sources/syntax-tree.ts';
import { parsed } from './edit-module.ts';

/** Moves folders and updates the imports of all modules. */
export function moveFolders(changes: Changes, directory: string, folders: ReadonlyMap<string, string>): void {
  const files = filesIn(directory, 'src');
  const moved = new Map<string, string>();
  for (const [from, to] of folders)
    for (const path of files) if (path.startsWith(`${from}/`)) moved.set(path, `${to}${path.slice(from.length)}`);
  for (const path of files) {
    const target = moved.get(path) ?? path;
    const before = changes.read(path) ?? '';
    const text = /\.[cm]?tsx?$/.test(path) ? withImports(path, before, target, moved) : before;
    const isSame = text === before;
    if (target !== path) changes.move(path, target, isSame ? undefined : text);
    else if (!isSame) changes.edit(path, () => text);
  }
}

/** Returns the paths of all files below a folder of a project, sorted; none when there is no such folder. */
export function filesIn(directory: string, folder: string): string[] {
  if (!existsSync(join(directory, folder))) return [];
  return readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/** Returns the module with imports for its new path and those of others. */
function withImports(path: string, text: string, target: string, moved: ReadonlyMap<string, string>): string {
  const edited = new MagicString(text);
  for (const { value, start, end } of specifiers(path, text)) {
    const file = posix.join(posix.dirname(path), value);
    const [found, lacking] = candidates(file).find(([candidate]) => moved.has(candidate)) ?? [file, ''];
    const goal = moved.get(found) ?? found;
    if (target === path && goal === found) continue;
    const shown = relative(posix.dirname(target), goal.slice(0, goal.length - lacking.length));
    const quote = text[start]!;
    edited.overwrite(start, end, `${quote}${shown}${quote}`);
  }
  return edited.toString();
}

/** Returns the files that a specifier may refer to, each with the omitted extension. */
function candidates(file: string): [path: string, lacking: string][] {
  return [
    [file, ''],
    [`${file}.ts`, '.ts'],
    [`${file}/index.ts`, '/index.ts'],
  ];
}

function relative(from: string, to: string): string {
  const path = posix.relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}

interface Specifier {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the relative specifiers of imports, exports and import(). */
function specifiers(path: string, text: string): Specifier[] {
  return [...nodesOf(parsed(path, text))].flatMap((node) => {
    const isCall = node.type === 'CallExpression' && (node.callee as Node).type === 'Import';
    const source = (isCall ? (node.arguments as Node[])[0] : node.source) as Node | null | undefined;
    if (source?.type !== 'StringLiteral' || typeof source.value !== 'string') return [];
    const { value, start, end } = source;
    return /^\.\.?\//.test(value) ? [{ value, start, end }] : [];
  });
}
