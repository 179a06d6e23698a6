import { describe, expect, test } from 'vitest';
import { compileExpression, Environment, kubernetesLibraries } from './index.ts';
import { DYN, INT, listType, STRING } from './types/type.ts';
import type { Value } from './values/value.ts';

const environment = new Environment({
  variables: { s: STRING, i: INT, list: listType(INT), d: DYN },
  libraries: kubernetesLibraries,
});

function evaluate(source: string, variables: Readonly<Record<string, Value>> = {}): Value {
  const compiled = compileExpression(source, environment);
  if (!('program' in compiled)) throw new Error(compiled.error);
  return compiled.program.evaluate(variables).value;
}

describe('expressions', () => {
  test.each<[string, Value]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3 == 9 && !false', true],
    ['-7 / 2', -3],
    ['-7 % 2', -1],
    ["'a' + 'b'", 'ab'],
    ['[1, 2, 3].all(x, x > 0)', true],
    ['[1, 2, 3].exists(x, x == 2)', true],
    ['[1, 2, 3].map(x, x * 2) == [2, 4, 6]', true],
    ["{'a': 1}.a == 1 && has({'a': 1}.a) && !has({'a': 1}.b)", true],
    ['true || 1 / 0 == 0', true],
    ['1 / 0 == 0 || true', true],
    ["type(1) == int && type('') == string", true],
    ['9007199254740993 - 1 == 9007199254740992', true],
  ])('%s is %s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});
