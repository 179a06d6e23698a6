import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const RENEW = 'docs/walks.md is out of date: run node scripts/walk.mjs';

/** More files than this are too many to follow a read through. */
const MAX_GET_FILES = 45;

interface Walk {
  readonly files: readonly string[];
  readonly primitives: readonly string[];
}

/** The lists of docs/walks.md, in the order of its sections. */
const written = readFileSync(join(ROOT, 'docs', 'walks.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section): Walk & { readonly title: string } => {
    const [files = [], primitives = []] = [...section.matchAll(/```text\n([\s\S]*?)\n```/g)].map(([, list = '']) =>
      list.split('\n').map((file) => file.replace('/', '/src/')),
    );
    return { title: section.slice(0, section.indexOf('\n')), files, primitives };
  });

test('a GET enters few files', () => {
  expect(written[0]!.title).toContain('GET');
  expect(written[0]!.files.length).toBeLessThanOrEqual(MAX_GET_FILES);
});

describe.each(written)('$title', ({ files, primitives }) => {
  test('every file is there', () => {
    expect(
      [...files, ...primitives].filter((file) => !existsSync(join(ROOT, 'packages', file))),
      RENEW,
    ).toEqual([]);
  });
});

test('the paths are as written, but for a few files', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [join(ROOT, 'scripts', 'walk.mjs'), '--json'], { maxBuffer: 1e7 });
  const walked = Object.values(JSON.parse(stdout) as Record<string, Walk>);
  expect(walked).toHaveLength(written.length);
  for (const [index, { title, ...before }] of written.entries()) {
    const now = walked[index]!;
    const differing = [...differences(before.files, now.files), ...differences(before.primitives, now.primitives)];
    expect(differing.length, `${title}: ${RENEW}\n${differing.join('\n')}`).toBeLessThanOrEqual(
      before.files.length / 10,
    );
  }
}, 120_000);

function differences(before: readonly string[], now: readonly string[]): string[] {
  return [...before.filter((file) => !now.includes(file)), ...now.filter((file) => !before.includes(file))];
}
