import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { PackageSource } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';

/**
 * Where the packages are from that this command is one of: a project depends on the same. From a registry, they have a
 * version; packed from a clone, they are files in a folder; in a clone, they are packed first.
 */
export function packageSource(): PackageSource {
  const manifest = createRequire(import.meta.url).resolve('@pintle/cli/package.json');
  return sourceOf(dirname(manifest));
}

/** Exported for tests: `directory` holds the package of this command. */
export function sourceOf(directory: string): PackageSource {
  const { version, dependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
  if (dependencies?.['@pintle/generate']?.startsWith('file:'))
    return { version, packageFolder: installedFrom(directory) };
  const script = join(directory, '..', '..', 'scripts', 'pack.mjs');
  return existsSync(script) ? packed(script) : { version };
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** As npm has written it down beside the packages it installed. */
function installedFrom(directory: string): string {
  const modules = join(directory, '..', '..');
  const lock = join(modules, '.package-lock.json');
  const { packages } = (existsSync(lock) ? JSON.parse(readFileSync(lock, 'utf8')) : {}) as {
    packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const { resolved = '' } = packages?.['node_modules/@pintle/cli'] ?? {};
  if (!resolved.startsWith('file:'))
    throw new UsageError(`Cannot find the files of pintle's packages: ${lock} does not name them; run npm install`);
  return dirname(resolve(modules, '..', resolved.slice('file:'.length)));
}

/** The clone has packages of no version that a registry could have: a project gets them as files. */
function packed(script: string): PackageSource {
  const folder = join(dirname(script), '..', 'node_modules', '.cache', 'pintle', 'packages');
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  if (status !== 0) throw new UsageError(`Cannot pack this clone: ${stderr.trim()}`);
  const file = readdirSync(folder).find((name) => name.startsWith('pintle-cli-')) ?? '';
  return { packageFolder: folder, version: file.slice('pintle-cli-'.length, -'.tgz'.length) };
}
