import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { personsEnvironment } from './helpers/packed.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

test.each([
  ['cli', 'pintle'],
  ['create-pintle', 'create-pintle'],
])('npm links the command of %s before anything is built: its file is in the repository', async (folder, name) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'));
  const file = join('packages', folder, manifest.bin[name]);
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', file], { cwd: ROOT });
  expect(stdout.trim()).toBe(file);
  expect(realpathSync(join(ROOT, 'node_modules', '.bin', name))).toBe(realpathSync(join(ROOT, file)));
});

test('npx runs it in the clone without asking a registry', async () => {
  const env = { ...personsEnvironment(), npm_config_registry: 'http://127.0.0.1:1/' };
  const { stdout } = await run('npx', ['--no-install', 'pintle', '--version'], { cwd: ROOT, env });
  expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'packages', 'cli', 'package.json'), 'utf8')).version);
});

test('npm start runs a node, so that pods do not stay Pending', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.start).toMatch(/main\.js up --nodes 1$/);
});

test('no page, template or message tells people to run npx without --no-install', async () => {
  const { stdout } = await run('git', ['grep', '-nE', 'npx pintle|npm (create|init) pintle', '--', '*.md', '*.ts'], {
    cwd: ROOT,
  }).catch((error: { stdout: string }) => error);
  const found = stdout
    .split('\n')
    .filter((line) => line !== '' && !/^(?:docs\/decisions|tests)\/|older-files/.test(line));
  expect(found).toEqual([]);
  expect(existsSync(join(ROOT, 'docs', 'first-operator.md'))).toBe(true);
});
