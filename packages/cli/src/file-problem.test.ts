import { mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileProblem } from './file-problem.ts';

function problemOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return fileProblem(error);
  }
  return undefined;
}

test('a file that cannot be used is told of in a sentence', () => {
  const here = import.meta.filename;
  expect(problemOf(() => mkdirSync(here))).toBe(`Cannot create the folder ${here}: a file with this name exists`);
  expect(problemOf(() => mkdirSync(`${here}/x`))).toBe(
    `Cannot create the folder ${here}/x: a part of the path is not a folder`,
  );
  expect(problemOf(() => readFileSync('/nowhere/x'))).toBe('Cannot open /nowhere/x: no such file or folder');
});

test('other errors are not about files', () => {
  expect(fileProblem(new Error('broken'))).toBeUndefined();
  expect(fileProblem(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBeUndefined();
  expect(fileProblem('text')).toBeUndefined();
});
