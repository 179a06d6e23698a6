import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const RENEW = 'docs/walks.md is out of date: run node scripts/walk.mjs';

/** The lists of docs/walks.md, in the order of its sections. */
const written = readFileSync(join(ROOT, 'docs', 'walks.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    files: /```text\n([\s\S]*?)\n```/
      .exec(section)![1]!
      .split('\n')
      .map((file) => file.replace('/', '/src/')),
  }));

describe.each(written)('$title', ({ files }) => {
  test('every file is there', () => {
    expect(
      files.filter((file) => !existsSync(join(ROOT, 'packages', file))),
      RENEW,
    ).toEqual([]);
  });
});

test('the paths are as written, but for a few files', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [join(ROOT, 'scripts', 'walk.mjs'), '--json'], { maxBuffer: 1e7 });
  const walked = Object.values(JSON.parse(stdout) as Record<string, string[]>);
  expect(walked).toHaveLength(written.length);
  for (const [index, { title, files }] of written.entries()) {
    const now = walked[index]!;
    const differing = [...files.filter((file) => !now.includes(file)), ...now.filter((file) => !files.includes(file))];
    expect(differing.length, `${title}: ${RENEW}\n${differing.join('\n')}`).toBeLessThanOrEqual(files.length / 10);
  }
}, 120_000);
