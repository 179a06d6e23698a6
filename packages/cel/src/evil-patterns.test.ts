import { compilePattern } from '@pintle/machinery/schema';
import { describe, expect, test } from 'vitest';
import { run } from './testing/evaluate.ts';

/** An idle machine needs a tenth of this; others may be busy too, and their threads count as ours. */
const MAX_MS = 1_000;

/** Patterns that make engines which try one way after the other go through all of them, and texts that never match. */
const families: [name: string, pattern: (n: number) => string, text: (n: number) => string][] = [
  ['repeats in repeats', (n) => `^${'('.repeat(n)}a+${')+'.repeat(n)}$`, (n) => `${'a'.repeat(20 * n)}!`],
  ['stars in stars', (n) => `^${'('.repeat(n)}a*${')*'.repeat(n)}$`, (n) => `${'a'.repeat(20 * n)}!`],
  [
    'alternatives that overlap',
    (n) =>
      `^(${Array(n + 1)
        .fill('a|a')
        .join('|')})+$`,
    (n) => `${'a'.repeat(30 * n)}!`,
  ],
  ['a letter or any', (n) => `^((a|.){${n}})+$`, (n) => `${'a'.repeat(30 * n)}\n`],
  ['neighbours that share', (n) => `^${'\\d+'.repeat(n + 3)}$`, (n) => `${'1'.repeat(30 * n)}x`],
  ['white space before an end', (n) => `^(\\s*${'\\s+'.repeat(n)})*$`, (n) => `${' '.repeat(40 * n)}x`],
  ['things that may be missing', (n) => `^${'a?'.repeat(20 * n)}${'a'.repeat(20 * n)}b$`, (n) => 'a'.repeat(20 * n)],
  ['counts in counts', (n) => `^((a{1,3}){1,3}){1,${n}}$`, (n) => `${'a'.repeat(20 * n)}!`],
  ['words with separators', (n) => `^(([a-z])+.)+[A-Z]{${n}}$`, (n) => 'a'.repeat(40 * n)],
  ['anything, and again', (n) => `${'.*'.repeat(n + 2)}=x$`, (n) => 'x='.repeat(40 * n)],
];

const corpus = families.flatMap(([name, pattern, text]) =>
  Array.from({ length: 20 }, (_, i) => [name, pattern(i + 1), text(i + 1)] as const),
);

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}

describe(`none of ${corpus.length} evil patterns takes long, and none is fooled`, () => {
  test.each(families.map(([name]) => name))('%s', (family) => {
    for (const [, source, text] of corpus.filter(([name]) => name === family)) {
      const took = cpuMs(() => {
        const compiled = compilePattern(source);
        if ('pattern' in compiled) expect(compiled.pattern.test(text), source).toBe(false);
      });
      expect(took, source).toBeLessThan(MAX_MS);
      const tookCel = cpuMs(() => expect(run('s.matches(d)', { s: text, d: source }).value, source).not.toBe(true));
      expect(tookCel, source).toBeLessThan(MAX_MS);
    }
  });
});

test.each([
  '(?=a)',
  '(?!a)',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(?P<n>a)(?P=n)',
  '(?<n>a)\\k<n>',
  '(?>a)',
  'a++',
  '(?#a)',
  '\\Z',
])('what takes going back is no pattern, as in Go: %s', (source) => {
  expect(compilePattern(source)).toHaveProperty('problem');
  expect(String((run('s.matches(d)', { s: 'a', d: source }).value as Error).message)).toContain('error parsing regexp');
});

test('nor in expressions is a pattern whose automaton is too large, or that is too long', () => {
  const problemOf = (source: string) => String((run('s.matches(d)', { s: 'a', d: source }).value as Error).message);
  expect(problemOf('a{0,999}'.repeat(30))).toContain('expression too large');
  expect(problemOf('a'.repeat(20_001))).toContain('expression too large');
});

describe('in expressions', () => {
  const cancelled = { message: 'operation cancelled: actual cost limit exceeded' };
  const ask = (text: string, pattern: string) => run('s.matches(d)', { s: text, d: pattern });

  test('a pattern that is new costs what making it ready takes, and only so many are kept ready', () => {
    expect(ask('a', '^first$').cost).toBeGreaterThan(1_000);
    expect(ask('a', '^first$').cost).toBeLessThan(100);
    for (let i = 0; i < 1_001; i++) ask('a', `^other-${i}$`);
    expect(ask('a', '^first$').cost).toBeGreaterThan(1_000);
  });

  test('a text that is too long for its pattern is not looked at', () => {
    expect(ask('ab'.repeat(50_000), '^[ab]*a[ab]{60}$').value).toMatchObject(cancelled);
    expect(ask('ab'.repeat(2_000), '^[ab]*a[ab]{500}$').value).toMatchObject(cancelled);
    expect(ask('ab'.repeat(2_000), '^[ab]*a[ab]{41}$').value).toBe(true);
  });

  test('more matches than anybody reads are not found', () => {
    expect(run("s.findAll('x').size()", { s: 'x'.repeat(200_000) }).value).toMatchObject(cancelled);
  });
});
