import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import type { RoleUse } from './rules.ts';
import { compare } from './rules.ts';

/** File of recorded API requests beside pintle.json, kept with the sources. */
export const OBSERVED_FILE = 'pintle.observed.json';

/** Content of the file. A use is a resource and a verb: `deployments.apps/status patch`. */
interface ObservedFile {
  readonly uses: readonly string[];
}

/** Returns the recorded uses; none when the file does not exist. */
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

/** Adds uses to the file, or with `isNew` replaces its content. Returns the uses that are new. */
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

/** Describes a use with the resource as kubectl names it: `deployments.apps/status patch`. */
export function describeUse({ group, resource, verb }: RoleUse): string {
  const [plural = '', ...subresource] = resource.split('/');
  return `${[group === '' ? plural : `${plural}.${group}`, ...subresource].join('/')} ${verb}`;
}

function useIn(line: unknown): RoleUse {
  const [, plural, group = '', subresource, verb] =
    /^([a-z0-9*-]+)(?:\.([a-z0-9.-]+))?(?:\/([a-z0-9/*-]+))? ([a-z*]+)$/.exec(String(line)) ?? [];
  if (plural === undefined || verb === undefined)
    throw new SyntaxError(`${JSON.stringify(line)} is not a resource and a verb`);
  return { group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, verb };
}

function byResource(a: RoleUse, b: RoleUse): number {
  return compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.verb, b.verb);
}
