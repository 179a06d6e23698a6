import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const { repeats } = (await import(join(import.meta.dirname, '..', 'scripts', 'recordings.mjs'))) as {
  repeats(folder: string, other: string, area: string): boolean;
};

const THEIRS = { create: [{ status: 201 }], read: [{ status: 200 }] };

test.each<[string, object | undefined, object | undefined, boolean]>([
  ['the same', THEIRS, THEIRS, true],
  ['the same and more', { ...THEIRS, more: [] }, THEIRS, true],
  ['less', { create: THEIRS.create }, THEIRS, false],
  ['another answer', { ...THEIRS, read: [{ status: 404 }] }, THEIRS, false],
  ['an area that only we have', THEIRS, undefined, true],
  ['an area that only they have', undefined, THEIRS, false],
])('recordings repeat others when they have all of them: %s', (_what, ours, theirs, expected) => {
  const root = mkdtempSync(join(tmpdir(), 'recordings-'));
  try {
    for (const [folder, answers] of Object.entries({ ours, theirs })) {
      mkdirSync(join(root, folder, 'expected'), { recursive: true });
      if (answers !== undefined) writeFileSync(join(root, folder, 'expected', 'area.json'), JSON.stringify(answers));
    }
    expect(repeats(join(root, 'ours'), join(root, 'theirs'), 'area')).toBe(expected);
  } finally {
    rmSync(root, { recursive: true });
  }
});
