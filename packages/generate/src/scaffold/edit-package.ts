import { GenerateError } from '../errors.ts';
import { isVendoredSpec } from './vendored-packages.ts';

type Json = Record<string, unknown>;

const SECTIONS = ['scripts', 'dependencies', 'devDependencies', 'engines'] as const;

/** Sets fields of a package.json and keeps its indentation. */
export function setPackageFields(path: string, text: string, fields: Readonly<Json>): string {
  const content = read(path, text);
  return written(text, Object.assign(content, fields));
}

/**
 * Applies the changes of the scaffold between `base` and `next` to the fields of a package.json that are as in `base`. All
 * packages of pintle get the version of `next`, unless users chose another source for one.
 */
export function renewPackage(path: string, text: string, base: string, next: string): string {
  const [mine, before, after] = [read(path, text), read(path, base), read(path, next)];
  for (const section of SECTIONS) renewSection(mine, section, before[section] as Json, after[section] as Json);
  for (const section of SECTIONS) {
    const dependencies = (mine[section] ?? {}) as Record<string, string>;
    const versions = { ...(after.dependencies as Json), ...(after.devDependencies as Json) };
    for (const [name, range] of Object.entries(dependencies)) {
      const isOurs = name.startsWith('@pintle/') && (/^[~^]?\d/.test(range) || isVendoredSpec(range));
      if (isOurs && versions[name] !== undefined) dependencies[name] = String(versions[name]);
    }
  }
  return written(text, mine);
}

function renewSection(mine: Json, section: string, before: Json = {}, after: Json = {}): void {
  const present = { ...((mine[section] ?? {}) as Json) };
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (before[key] === after[key] || present[key] !== before[key]) continue;
    if (after[key] === undefined) delete present[key];
    else present[key] = after[key];
  }
  if (mine[section] !== undefined || Object.keys(present).length > 0) mine[section] = present;
}

function read(path: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new GenerateError({ code: 'CannotEdit', path, detail: (error as Error).message }, { cause: error });
  }
}

/** Writes JSON as npm does: with the indentation and the line end of the file. */
function written(text: string, content: Json): string {
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
  const end = text.endsWith('\n') ? '\n' : '';
  return `${JSON.stringify(content, null, indent)}${end}`;
}
