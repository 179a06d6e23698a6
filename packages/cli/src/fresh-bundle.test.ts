import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { freshBundle } from './fresh-bundle.ts';

test('a bundle counts as long as nothing was compiled after it', () => {
  const packages = mkdtempSync(join(tmpdir(), 'pintle-bundle-'));
  const put = (path: string, seconds: number): void => {
    mkdirSync(dirname(join(packages, path)), { recursive: true });
    writeFileSync(join(packages, path), '');
    utimesSync(join(packages, path), seconds, seconds);
  };
  const dist = join(packages, 'cli', 'dist');
  const url = pathToFileURL(join(dist, 'bundle', 'run.js')).href;
  try {
    put('cli/dist/.tsbuildinfo', 100);
    put('store/dist/.tsbuildinfo', 200);
    expect(freshBundle(dist)).toBeUndefined();
    put('cli/dist/bundle/run.js', 300);
    expect(freshBundle(dist)).toBe(url);
    put('store/dist/.tsbuildinfo', 301);
    expect(freshBundle(dist)).toBeUndefined();
    rmSync(join(packages, 'store'), { recursive: true });
    expect(freshBundle(dist)).toBe(url);
  } finally {
    rmSync(packages, { recursive: true });
  }
});
