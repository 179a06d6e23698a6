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
