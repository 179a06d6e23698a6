import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import type { Platform } from './blob-folder.ts';

/** A package, and its place in the image. */
export interface InstalledPackage {
  /** Path below the folder of the app, such as `node_modules/zod`. */
  readonly path: string;
  /** Folder on this machine, with links resolved. */
  readonly directory: string;
  readonly manifest: PackageManifest;
}

export interface PackageManifest {
  readonly name?: string;
  readonly version?: string;
  readonly files?: readonly string[];
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Returns the packages that an app needs at run time: its installed dependencies and theirs, placed so that Node.js resolves
 * the same ones as here. A package is at the top, or inside its dependent when another package of its name is at the top.
 */
export function productionPackages(directory: string, platform: Platform): InstalledPackage[] {
  const placed = new Map<string, InstalledPackage>();
  const app: InstalledPackage = { path: '', directory: realpathSync(directory), manifest: manifestIn(directory) };
  const waiting = [app];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const { name, isOptional } of needsOf(next.manifest)) {
      const found = installed(next.directory, name);
      if (found === undefined && isOptional) continue;
      if (found === undefined)
        throw new UsageError(`Cannot build the image: ${name} is not installed; run npm install`);
      const manifest = manifestIn(found);
      if (!isFor(manifest, platform)) continue;
      const path = placeFor(placed, next.path, name, found);
      if (path === undefined) continue;
      const added = { path, directory: found, manifest };
      placed.set(path, added);
      waiting.push(added);
    }
  }
  return [...placed.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function needsOf(manifest: PackageManifest): { readonly name: string; readonly isOptional: boolean }[] {
  const optional = Object.keys(manifest.optionalDependencies ?? {});
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
    (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true,
  );
  const names = new Set([...Object.keys(manifest.dependencies ?? {}), ...peers, ...optional]);
  return [...names].sort().map((name) => ({ name, isOptional: optional.includes(name) }));
}

/** Finds a package as Node.js does: in every folder above, nearest first. */
function installed(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      return dirname(realpathSync(join(folder, 'node_modules', name, 'package.json')));
    } catch {
      if (folder === dirname(folder)) return undefined;
    }
  }
}

/** Returns the path at which `dependent` finds the package; `undefined` when it is there already. */
function placeFor(
  placed: ReadonlyMap<string, InstalledPackage>,
  dependent: string,
  name: string,
  directory: string,
): string | undefined {
  for (const folder of foldersAbove(dependent)) {
    const found = placed.get(`${folder}node_modules/${name}`);
    if (found?.directory === directory) return undefined;
    if (found !== undefined) return `${dependent === '' ? '' : `${dependent}/`}node_modules/${name}`;
  }
  return `node_modules/${name}`;
}

/** Returns for `node_modules/a/node_modules/b` that folder, the folder of a, and the top. */
function foldersAbove(path: string): string[] {
  const inner = path.split(/(?:^|\/)node_modules\//).filter((part) => part !== '');
  const folders = inner.map((_, at) => `node_modules/${inner.slice(0, at + 1).join('/node_modules/')}/`);
  return [...folders.reverse(), ''];
}

function isFor({ os, cpu }: PackageManifest, platform: Platform): boolean {
  return allows(os, platform.os) && allows(cpu, platform.architecture === 'amd64' ? 'x64' : platform.architecture);
}

/** A list has allowed values, or with `!` forbidden ones. */
function allows(listed: readonly string[] | undefined, value: string): boolean {
  if (listed === undefined || listed.includes('any')) return true;
  if (listed.includes(`!${value}`)) return false;
  const positive = listed.filter((each) => !each.startsWith('!'));
  return positive.length === 0 || positive.includes(value);
}

function manifestIn(directory: string): PackageManifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as PackageManifest;
}
