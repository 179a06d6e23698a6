import { accessSync, constants, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../usage-error.ts';
import type { PackageManifest, PlacedPackage } from './production-packages.ts';
import type { TarEntry } from './tar-writer.ts';

/** Where the app is in the image. */
export const APP = 'app';

/** What only matters to compilers, tests and installers. */
const NOT_RUN = /(?:\.d\.[cm]?ts(?:\.map)?|\.tsbuildinfo|\.test\.[cm]?js(?:\.map)?)$/;

/** The compiled app: a layer of its own, since it changes with every build. */
export function appEntries(directory: string, compiled: string): TarEntry[] {
  const manifest: TarEntry = {
    type: 'file',
    path: `${APP}/package.json`,
    isExecutable: false,
    read: () => readFileSync(join(directory, 'package.json')),
  };
  return complete([manifest, ...treeEntries(compiled, '', `${APP}/dist`, () => true)]);
}

/** The packages it needs: they change seldom, and a layer that does not change is not sent again. */
export function packageEntries(packages: readonly PlacedPackage[]): TarEntry[] {
  return complete(
    packages.flatMap(({ path, directory, manifest }) =>
      treeEntries(directory, '', `${APP}/${path}`, isPublished(manifest)),
    ),
  );
}

/** In a workspace, a package's folder holds more than what is published of it. */
function isPublished({ files }: PackageManifest): (path: string) => boolean {
  const listed = files
    ?.filter((each) => !each.startsWith('!'))
    .map((each) => each.replace(/^\.?\/|\/(?:\*\*?)?$/g, ''));
  if (listed === undefined || listed.some((each) => each.includes('*'))) return () => true;
  const roots = new Set(listed.map((each) => each.split('/')[0]));
  return (path) => (!path.includes('/') && !roots.has(path) ? isAlwaysPublished(path) : true);
}

function isAlwaysPublished(path: string): boolean {
  return /^(?:package\.json$|.*\.[cm]?js$|readme|licen[cs]e|notice|copying)/i.test(path);
}

function treeEntries(root: string, path: string, target: string, isMeant: (path: string) => boolean): TarEntry[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry): TarEntry[] => {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.name === 'node_modules' || entry.name === '.git' || NOT_RUN.test(entry.name) || !isMeant(inner))
      return [];
    if (entry.isDirectory()) return treeEntries(root, inner, target, isMeant);
    if (entry.isSymbolicLink()) return [linkEntry(root, inner, target)];
    return entry.isFile() ? [fileEntry(join(root, inner), `${target}/${inner}`)] : [];
  });
}

function fileEntry(source: string, path: string): TarEntry {
  return { type: 'file', path, isExecutable: isExecutable(source), read: () => readFileSync(source) };
}

/** A link within its package stays one; what it brings from elsewhere is written in its place. */
function linkEntry(root: string, path: string, target: string): TarEntry {
  const source = join(root, path);
  const real = realpathSync(source);
  const isInside = !relative(realpathSync(root), real).startsWith('..');
  if (isInside)
    return {
      type: 'link',
      path: `${target}/${path}`,
      target: relative(dirname(source), join(dirname(source), readlinkSync(source))),
    };
  if (statSync(real).isFile()) return fileEntry(real, `${target}/${path}`);
  throw new UsageError(`Cannot put ${source} into an image: it is a link to the folder ${real}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return (statSync(path).mode & 0o100) !== 0;
  } catch {
    return false;
  }
}

/** Sorted, with the folders that entries are in before them. */
function complete(entries: readonly TarEntry[]): TarEntry[] {
  const all = new Map<string, TarEntry>(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      all.set(folder, { type: 'folder', path: folder });
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
