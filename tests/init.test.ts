import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';

const PACKAGES = join(import.meta.dirname, '..', 'packages');
const PINTLE = join(PACKAGES, 'cli', 'dist', 'main.js');
const CREATE = join(PACKAGES, 'create-pintle', 'dist', 'main.js');
const parent = mkdtempSync(join(tmpdir(), 'pintle-init-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'place-'));
});

const TYPE_AGAIN_MS = 200;

const ENTER = '\r';
const CANCEL = '\u0003';

/**
 * Runs a command in a terminal and presses keys at the question that was shown last, again and again: what is pressed
 * while a question is being drawn may be lost. Gives what was shown.
 */
async function converse(program: string, answers: readonly (readonly [question: string, key: string])[]) {
  const command = `stty cols 120 rows 40; ${JSON.stringify(process.execPath)} ${program}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder });
  // The program may end before its end is noticed here; what is typed then is lost.
  child.stdin.on('error', () => {});
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  const typing = setInterval(() => {
    const screen = stripVTControlCharacters(shown);
    child.stdin.write(answers.findLast(([question]) => screen.includes(question))?.[1] ?? '');
  }, TYPE_AGAIN_MS);
  const [code] = await once(child, 'close');
  clearInterval(typing);
  return { code: Number(code), shown: stripVTControlCharacters(shown) };
}

test('asked nothing, it asks, and Enter takes what is usual', async () => {
  const questions = ['Name of the operator', 'Domain of the API groups', 'License', 'own namespace?', 'per API group?'];
  const { code, shown } = await converse(
    CREATE,
    questions.map((question) => [question, ENTER]),
  );
  for (const question of questions) expect(shown).toContain(question);
  expect(shown).toContain('npx --no-install pintle create api');
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'pintle.json'), 'utf8'))).toMatchObject({
    name: expect.stringMatching(/^place-/),
    domain: 'example.com',
    license: 'Apache-2.0',
    namespaced: false,
  });
});

test('a suggestion is no text to delete: what is typed takes its place', async () => {
  const { code } = await converse(`${PINTLE} init fruits`, [
    ['Name of the operator', 'z'],
    ['zz', ENTER],
    ...['Domain of the API groups', 'License', 'own namespace?', 'per API group?'].map(
      (each) => [each, ENTER] as const,
    ),
  ]);
  expect(code).toBe(0);
  const { name } = JSON.parse(readFileSync(join(folder, 'fruits', 'pintle.json'), 'utf8'));
  expect(name).toMatch(/^z+$/);
});

test('a folder that holds something gets a folder inside; whoever goes away leaves nothing', async () => {
  writeFileSync(join(folder, 'notes.txt'), '');
  const { code, shown } = await converse(`${PINTLE} init`, [
    ['Folder of the project', ENTER],
    ['Name of the operator', CANCEL],
  ]);
  expect(shown).toContain('pintle: Cancelled: nothing was created');
  expect(code).toBe(1);
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});

test('the commands that come next may be pasted, whatever the folder is called', async () => {
  const { shown } = await converse(`${PINTLE} init "It's mine" --name mine --yes`, []);
  expect(shown).toContain("cd 'It'\\''s mine'");
});
