import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, '..', 'packages', 'cli', 'dist', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'pintle-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash would offer, having read the script. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `
pintle() { ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)} "$@"; }
compopt() { :; }
source <(pintle completion bash)
COMP_WORDS=(pintle "$@") COMP_CWORD=$#
_pintle
printf '%s\\n' "\${COMPREPLY[@]}"
`;
  const { stdout } = await run('bash', ['-euc', script, 'bash', ...words], { cwd: folder });
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash finishes commands, flags, kinds of the project and files', async () => {
  const resources = [{ group: 'food.example.com', version: 'v1', kind: 'Fruit' }];
  writeFileSync(join(folder, 'pintle.json'), JSON.stringify({ layout: 1, resources }));
  expect(await offered('up')).toEqual(['up', 'upgrade']);
  expect(await offered('create', 'webhook', '--def')).toEqual(['--defaulting']);
  expect(await offered('create', 'webhook', '--kind', '')).toEqual(['Fruit']);
  expect(await offered('validate', '-f', 'pin')).toEqual(['pintle.json']);
});
