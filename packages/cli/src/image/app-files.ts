import { accessSync, constants, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../usage-error.ts';
import type { InstalledPackage, PackageManifest } from './production-packages.ts';
import type { TarEntry } from './tar-writer.ts';

/** Folder of the app in the image. */
export const APP = 'app';

/** Files that only compilers, tests and installers need. */
const NOT_RUN = /(?:\.d\.[cm]?ts(?:\.map)?|\.tsbuildinfo|\.test\.[cm]?js(?:\.map)?)$/;

/** Files of the app that only `pintle explore` runs. */
const EXPLORATION = /\.explore\.[cm]?js(?:\.map)?$/;

/** Returns the entries of the compiled app. They are a separate layer, since they change with every build. */
export function appEntries(directory: string, compiled: string): TarEntry[] {
  const manifest: TarEntry = {
    type: 'file',
    path: `${APP}/package.json`,
    isExecutable: false,
    read: () => readFileSync(join(directory, 'package.json')),
  };
  return withFolders([manifest, ...treeEntries(compiled, '', `${APP}/dist`, (path) => !EXPLORATION.test(path))]);
}

/** Returns the entries of its packages. They change seldom, and an unchanged layer is not pushed again. */
export function packageEntries(packages: readonly InstalledPackage[]): TarEntry[] {
  return withFolders(
    packages.flatMap(({ path, directory, manifest }) =>
      treeEntries(directory, '', `${APP}/${path}`, isPublished(manifest)),
    ),
  );
}

/** Returns a filter for the published files of a package: in a workspace, its folder holds more. */
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

function treeEntries(root: string, path: string, target: string, isIncluded: (path: string) => boolean): TarEntry[] {
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry): TarEntry[] => {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.name === 'node_modules' || entry.name === '.git' || NOT_RUN.test(entry.name) || !isIncluded(inner))
      return [];
    if (entry.isDirectory()) return treeEntries(root, inner, target, isIncluded);
    if (entry.isSymbolicLink()) return [linkEntry(root, inner, target)];
    return entry.isFile() ? [fileEntry(join(root, inner), `${target}/${inner}`)] : [];
  });
}

function fileEntry(source: string, path: string): TarEntry {
  return { type: 'file', path, isExecutable: isExecutable(source), read: () => readFileSync(source) };
}

/** Keeps a link within its package; replaces a link to another place by the file. */
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

/** Adds the folders of entries, and sorts all entries by path. */
function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const all = new Map<string, TarEntry>(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      all.set(folder, { type: 'folder', path: folder });
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
