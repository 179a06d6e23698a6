import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { PackageSource } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';

/**
 * Returns the source of the packages of a new project, the same as that of this command: a version of a registry, or a
 * folder of packed files. In a clone, packs them first.
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

/** Reads the folder from the lock file that npm writes beside installed packages. */
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

/** Packs the clone: a registry does not have its version. */
function packed(script: string): PackageSource {
  const folder = join(dirname(script), '..', 'node_modules', '.cache', 'pintle', 'packages');
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  if (status !== 0) throw new UsageError(`Cannot pack this clone: ${stderr.trim()}`);
  const file = readdirSync(folder).find((name) => name.startsWith('pintle-cli-')) ?? '';
  return { packageFolder: folder, version: file.slice('pintle-cli-'.length, -'.tgz'.length) };
}
