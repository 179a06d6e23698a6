import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { stringifyYaml } from '@pintle/machinery/yaml';
import { type FileChange, GenerateError } from '../errors.ts';
import { Changes, finish } from '../project/changes.ts';
import { definitionsFrom } from './find-definitions.ts';

export interface GenerateCrdsOptions {
  /** Files, folders, and patterns with `*` and `**`, relative to the folder of the project. */
  readonly from: readonly string[];
  readonly out: string;
  /** Writes nothing; throws Stale when files are out of date. */
  readonly check?: boolean;
}

/** Writes a CRD for each interface with `@resource`. */
export function generateCrds(directory: string, options: GenerateCrdsOptions): readonly FileChange[] {
  const { from, out, check = false } = options;
  const changes = new Changes(directory);
  const definitions = definitionsFrom(directory, sourcesOf(directory, from));
  if (definitions.length === 0) throw new GenerateError({ code: 'NoResources', from });
  for (const definition of definitions)
    changes.put(`${out.replace(/\/+$/, '')}/${fileOf(definition)}`, stringifyYaml(definition));
  return finish(changes, check);
}

function fileOf({ spec }: CustomResourceDefinition): string {
  return `${spec.group}_${spec.names.plural}.yaml`;
}

function sourcesOf(directory: string, patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => {
    const files = matching(directory, pattern);
    if (files.length === 0) throw new GenerateError({ code: 'BadSource', path: pattern, detail: 'no such files' });
    return files;
  });
  return [...new Set(found)].sort();
}

function matching(directory: string, pattern: string): string[] {
  const wild = pattern.search(/[*]/);
  const base = wild === -1 ? pattern : pattern.slice(0, pattern.lastIndexOf('/', wild) + 1);
  const full = resolve(directory, base);
  const isFolder = statSync(full, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) return [];
  if (!isFolder) return [pattern];
  const parts = wild === -1 ? ['**', '*.ts'] : pattern.slice(base.length).split('/');
  const names = readdirSync(full, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return names.filter((name) => isSource(name) && matches(name.split('/'), parts)).map((name) => join(base, name));
}

function isSource(name: string): boolean {
  return name.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(name) && !name.split('/').includes('node_modules');
}

function matches(names: readonly string[], parts: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return names.length === 0;
  if (part === '**') return matches(names, rest) || (names.length > 0 && matches(names.slice(1), parts));
  const [name, ...others] = names;
  return name !== undefined && isLike(name, part) && matches(others, rest);
}

/** True when the name has the pieces between the stars, in order. */
function isLike(name: string, part: string): boolean {
  const pieces = part.split('*');
  if (pieces.length === 1) return name === part;
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const next = name.indexOf(piece, at);
    if (next === -1) return false;
    at = next + piece.length;
  }
  return at <= name.length - last.length;
}
