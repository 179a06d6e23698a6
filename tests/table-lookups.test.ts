import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const packagesDir = join(import.meta.dirname, '..', 'packages');

/** A constant of a module that is an object literal with any words as keys. */
const OPEN_TABLE = /^(?:export )?const (\w+):[^=;{]*?\bRecord<\s*string\b[^=]*=\s*(?:Object\.freeze\()?\{/gm;
/** A word is made a key of such an object by saying that it is one. */
const CAST_KEY = /\[[^\][]* as keyof typeof ([A-Za-z_]\w*)\]/g;

/**
 * Clients send words such as `constructor` and `__proto__`, which every plain object has. A table that is looked up with a
 * word is a Map, a Set, or made by `table()`, which gives it no prototype. Generated tables are read with `Object.hasOwn`.
 */
function plainTables(text: string): string[] {
  const open = [...text.matchAll(OPEN_TABLE)].map(([, name]) => name!);
  const cast = [...text.matchAll(CAST_KEY)].map(([, name]) => name!);
  const literals = new Set([...text.matchAll(/^(?:export )?const (\w+)[^=;]*=\s*\{/gm)].map(([, name]) => name!));
  return [...open, ...cast.filter((name) => literals.has(name))];
}

test.each([
  ['const A: Record<string, number> = { a: 1 };', ['A']],
  ['export const A: Readonly<Partial<Record<string, B>>> = {\n};', ['A']],
  ['const A: Readonly<\n  Record<string, B>\n> = {};', ['A']],
  ['const A = { a: 1 } as const;\nconst b = A[word as keyof typeof A];', ['A']],
  ['const A: Readonly<Record<string, number>> = table({ a: 1 });', []],
  ["const A: Readonly<Record<'a' | 'b', number>> = { a: 1, b: 2 };", []],
  ['function f(): void {\n  const a: Record<string, number> = {};\n}', []],
])('the check sees what may be looked up with any word: %j', (text, found) => {
  expect(plainTables(text)).toEqual(found);
});

test('no table of a module is a plain object that any word can be looked up in', () => {
  const found = readdirSync(packagesDir).flatMap((name) => {
    const root = join(packagesDir, name, 'src');
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|(^|\/)(templates|testdata|generated)\//.test(file))
      .flatMap((file) =>
        plainTables(readFileSync(join(root, file), 'utf8')).map((table) => `${name}/${file}: ${table}`),
      );
  });
  expect(found).toEqual([]);
});
