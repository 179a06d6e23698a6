import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sourceOf } from './package-source.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-source-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** A folder with the command installed as a dependency, and what npm wrote down about it. */
function installed(generate: string, resolved?: string): { folder: string; command: string } {
  const folder = mkdtempSync(join(parent, 'project-'));
  const command = join(folder, 'node_modules', '@pintle', 'cli');
  mkdirSync(command, { recursive: true });
  const manifest = { version: '1.2.3', dependencies: { '@pintle/generate': generate } };
  writeFileSync(join(command, 'package.json'), JSON.stringify(manifest));
  const packages = { 'node_modules/@pintle/cli': { resolved } };
  if (resolved !== undefined)
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  return { folder, command };
}

test('a command from a registry makes projects that depend on its version', () => {
  expect(sourceOf(installed('1.2.3').command)).toEqual({ version: '1.2.3' });
});

test('a command from a folder makes projects that get the packages of that folder', () => {
  const { folder, command } = installed('file:pintle-generate-1.2.3.tgz', 'file:../packed/pintle-cli-1.2.3.tgz');
  expect(sourceOf(command)).toEqual({ version: '1.2.3', packageFolder: join(folder, '..', 'packed') });
});

test('where npm wrote nothing down, that is said', () => {
  const { command } = installed('file:pintle-generate-1.2.3.tgz');
  expect(() => sourceOf(command)).toThrow("Cannot find the files of pintle's packages: ");
});
