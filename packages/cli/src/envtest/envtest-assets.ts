import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { STAND_IN_FOR_ETCD } from './stand-in-for-etcd.ts';

/** Folder of the programs of this package, also when the command runs from the bundle. */
const DIST = join(import.meta.dirname, '..');

const NODE = [process.execPath, '--max-semi-space-size=32'];
const OF_PACKAGE = {
  server: [...NODE, join(DIST, 'main.js'), 'apiserver'],
  etcd: [...NODE, join(DIST, 'envtest', 'etcd.js')],
};
const OF_EXECUTABLE = { server: [process.execPath, 'apiserver'], etcd: [process.execPath, STAND_IN_FOR_ETCD] };

/**
 * Writes `kube-apiserver` and `etcd`, and `kubectl` when the PATH has one, to a folder for KUBEBUILDER_ASSETS. Every start
 * of the server is empty: it keeps its objects in memory, and etcd only answers health checks.
 */
export async function envtestAssets(folder: string): Promise<void> {
  const dir = resolve(folder);
  await mkdir(dir, { recursive: true });
  const { server, etcd } = isSea() ? OF_EXECUTABLE : OF_PACKAGE;
  await writeLauncher(join(dir, 'kube-apiserver'), [...server, '--memory']);
  await writeLauncher(join(dir, 'etcd'), etcd);
  const kubectl = findOnPath('kubectl', dir);
  if (kubectl !== undefined) await link(kubectl, join(dir, 'kubectl'));
  const names = ['kube-apiserver', 'etcd', ...(kubectl === undefined ? [] : ['kubectl'])];
  process.stdout.write(`Wrote ${names.join(', ')}.\n\n  export KUBEBUILDER_ASSETS=${shellQuoted(dir)}\n`);
}

/**
 * Writes a script that replaces itself with the program, so that signals and exit codes pass through. A suite that is
 * killed stops nothing, so the program ends when its parent is gone.
 */
async function writeLauncher(path: string, words: readonly string[]): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, `#!/bin/sh\nexec ${words.map(shellQuoted).join(' ')} --exit-with-parent=$PPID "$@"\n`, {
    mode: 0o755,
  });
}

async function link(target: string, path: string): Promise<void> {
  await rm(path, { force: true });
  await symlink(target, path);
}

function findOnPath(name: string, except: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && folder !== except);
  return folders.map((folder) => resolve(folder, name)).find((path) => existsSync(path));
}

function shellQuoted(word: string): string {
  return /^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
