import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import type { RoleUse } from './rules.ts';
import { compare } from './rules.ts';

/** Beside pintle.json, and kept with the sources: what the operator was seen to do. */
export const OBSERVED_FILE = 'pintle.observed.json';

/** One verb on one resource on a line: `deployments.apps/status patch`. */
interface ObservedFile {
  readonly uses: readonly string[];
}

/** What was written down of what the operator did. Nothing, when nobody ever looked. */
export function readObserved(directory: string): RoleUse[] {
  const path = join(directory, OBSERVED_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return (JSON.parse(text) as ObservedFile).uses.map(useIn);
  } catch (error) {
    const detail = error instanceof TypeError ? 'it has no list of uses' : (error as Error).message;
    throw new GenerateError({ code: 'BadProjectFile', path, detail }, { cause: error });
  }
}

/** Adds what was seen to what is written, or with `isNew` writes it anew. Tells what was not there before. */
export function writeObserved(
  directory: string,
  seen: readonly RoleUse[],
  { isNew = false }: { readonly isNew?: boolean } = {},
): RoleUse[] {
  const before = new Map(readObserved(directory).map((use) => [describeUse(use), use]));
  const after = new Map(isNew ? [] : before);
  for (const use of seen) after.set(describeUse(use), use);
  const added = [...after].filter(([text]) => !before.has(text)).map(([, use]) => use);
  if (added.length > 0 || after.size !== before.size) {
    const file: ObservedFile = { uses: [...after.values()].sort(byResource).map(describeUse) };
    writeFileSync(join(directory, OBSERVED_FILE), `${JSON.stringify(file, null, 2)}\n`);
  }
  return added.sort(byResource);
}

/** As kubectl names resources: `deployments.apps/status patch`. */
export function describeUse({ group, resource, verb }: RoleUse): string {
  const [plural = '', ...subresource] = resource.split('/');
  return `${[group === '' ? plural : `${plural}.${group}`, ...subresource].join('/')} ${verb}`;
}

function useIn(line: unknown): RoleUse {
  const [, plural, group = '', subresource, verb] =
    /^([a-z0-9*-]+)(?:\.([a-z0-9.-]+))?(?:\/([a-z0-9/*-]+))? ([a-z*]+)$/.exec(String(line)) ?? [];
  if (plural === undefined || verb === undefined)
    throw new SyntaxError(`${JSON.stringify(line)} is no use of a resource`);
  return { group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, verb };
}

function byResource(a: RoleUse, b: RoleUse): number {
  return compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.verb, b.verb);
}
