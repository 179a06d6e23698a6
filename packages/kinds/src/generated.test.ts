import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const generator = join(import.meta.dirname, '..', 'generator', 'main.mjs');
const definitions = join(import.meta.dirname, '..', 'api');
const run = promisify(execFile);

test('every generated file is what the generator writes', async () => {
  await run(process.execPath, [generator, '--check']);
});

test('a definition that has changed is noticed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'definitions-'));
  try {
    cpSync(definitions, folder, { recursive: true });
    const discovery = join(folder, 'discovery.json');
    writeFileSync(discovery, readFileSync(discovery, 'utf8').replace('"configmaps"', '"configcards"'));
    const checked = run(process.execPath, [generator, '--check', '--api', folder]);
    await expect(checked).rejects.toThrow(/Stale: src\/discovery\/generated\//);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
