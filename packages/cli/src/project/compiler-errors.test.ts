import { expect, test } from 'vitest';
import { shortErrors } from './compiler-errors.ts';

const LONG = `{ ${'field: string; '.repeat(60)}}`;

test('the last line of an error comes first, and types are cut', () => {
  const output = [
    `src/a.ts(3,5): error TS2322: Type '${LONG}' is not assignable to type '${LONG}'.`,
    "  Types of property 'spec' are incompatible.",
    `    Property 'theme' is missing in type '{ name: string; }' but required in type '${LONG}'.`,
    "src/b.ts(1,1): error TS1005: ';' expected.",
  ].join('\n');
  const lines = shortErrors(output).split('\n');
  expect(lines[0]).toMatch(
    /^src\/a\.ts\(3,5\): error TS2322: Property 'theme' is missing in type '\{ name: string; \}'/,
  );
  expect(lines[1]).toMatch(/^ {2}Type '\{ field/);
  expect(lines.slice(2)).toEqual([
    '  … 1 more line: npx --no-install tsc --noEmit',
    "src/b.ts(1,1): error TS1005: ';' expected.",
  ]);
  for (const line of lines) expect(line.length).toBeLessThan(210);
});

test('other output stays', () => expect(shortErrors('tsc exited with code 2')).toBe('tsc exited with code 2'));

test('of many errors, the first ten are shown', () => {
  const lines = shortErrors(
    Array.from({ length: 44 }, (_each, at) => `src/a.ts(${at + 1},1): error TS2339: x`).join('\n'),
  ).split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[9]).toBe('src/a.ts(10,1): error TS2339: x');
  expect(lines[10]).toBe('… 34 more errors: npx --no-install tsc --noEmit');
});

test('a wrong path of a column names the nearest', () => {
  const instead = '".spec.certSecret" | ".spec.checkEverySeconds" | ".spec.host" | ".spec.page"';
  const output = `src/a.ts(36,41): error TS2322: Type 'string' is not assignable to type 'LeadsNowhere<".spec.hst", ${instead}>'.
  Type '".spec.hst"' is not assignable to type '".spec.hst" & LeadsNowhere<".spec.hst", ${instead}>'.`;
  expect(shortErrors(output)).toBe(
    `src/a.ts(36,41): error TS2322: The path ".spec.hst" leads nowhere. Did you mean ".spec.host"?`,
  );
});
