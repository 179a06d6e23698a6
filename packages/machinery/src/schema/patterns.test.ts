import { threadTimer } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { compilePattern, maxPatternLength } from './patterns.ts';

const problemOf = (source: string) => {
  const result = compilePattern(source);
  return 'problem' in result ? result.problem : undefined;
};

test('Go explains what is wrong with a pattern', () => {
  expect(problemOf('a(b')).toBe('error parsing regexp: missing closing ): `a(b`');
  expect(problemOf('^(?!a).*$')).toBe('error parsing regexp: invalid or unsupported Perl syntax: `(?!`');
  expect(problemOf('^[a-z]+$')).toBeUndefined();
});

test('a pattern that is too long or compiles to too much is refused', () => {
  expect(problemOf('a'.repeat(maxPatternLength + 1))).toMatch(/expression too large/);
  expect(problemOf('[a-z]{1,1000}'.repeat(20))).toMatch(/expression too large/);
});

test('matching stays linear where backtracking would not', () => {
  const result = compilePattern('^(a*)*b$');
  const computedMs = threadTimer();
  expect('pattern' in result && result.pattern.test('a'.repeat(100_000))).toBe(false);
  expect(computedMs()).toBeLessThan(2_000);
});

test('a pattern is compiled once', () => {
  expect(compilePattern('^once$')).toBe(compilePattern('^once$'));
});
