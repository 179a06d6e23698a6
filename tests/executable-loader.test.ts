import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Loader {
  load(name: string): Record<string, unknown>;
  readonly scripts: ReadonlyMap<string, { createCachedData(): Buffer; readonly cachedDataRejected?: boolean }>;
}

const path = join(import.meta.dirname, '..', 'scripts', 'executable', 'loader.cjs');
const { createLoader } = createRequire(import.meta.url)(path) as {
  createLoader(options: { read(name: string): string | undefined; readCode(name: string): Buffer | undefined }): Loader;
};

const MODULES = {
  'main.js': `exports.sum = require('./add.js').add(1, 2); exports.path = require('node:path').sep;
    try { require('bufferutil') } catch (error) { exports.missing = error.code }`,
  'add.js': 'exports.add = (a, b) => a + b;',
};

function read(name: string): string | undefined {
  const text = Object.hasOwn(MODULES, name) ? MODULES[name as keyof typeof MODULES] : undefined;
  return text && `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

test('loads modules of its own and of Node.js, and tells packages what is missing', () => {
  const { load } = createLoader({ read, readCode: () => undefined });
  expect(load('main.js')).toEqual({ sum: 3, path: '/', missing: 'MODULE_NOT_FOUND' });
  expect(load('main.js')).toBe(load('main.js'));
  expect(() => load('other.js')).toThrow('Cannot load other.js: the executable does not have it');
});

test('takes the code that an earlier run compiled', () => {
  const first = createLoader({ read, readCode: () => undefined });
  first.load('main.js');
  const second = createLoader({ read, readCode: (name) => first.scripts.get(name)!.createCachedData() });
  expect(second.load('main.js').sum).toBe(3);
  expect([...second.scripts.values()].map(({ cachedDataRejected }) => cachedDataRejected)).toEqual([false, false]);
});
