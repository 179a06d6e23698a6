// Installs the tools of releases and of the documentation site, which `tools/` keeps apart: what a clone needs to build and
// test stays small.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOOLS = join(import.meta.dirname, '..', 'tools');

/** Installs the tools unless the installed ones are those of the manifest, whose versions are exact. */
export function ensureTools() {
  const manifest = readFileSync(join(TOOLS, 'package.json'), 'utf8');
  const stamp = join(TOOLS, 'node_modules', '.pintle-manifest');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === manifest) return;
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], TOOLS);
  writeFileSync(stamp, manifest);
}

/** Runs a command, and ends this process when it fails. */
export function run(command, args, cwd, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
