import { finish } from '@pintle/machinery/rules';
import { parseSchema } from '@pintle/machinery/schema';
import { describe, expect, test } from 'vitest';
import { ExpressionRules } from './expression-rules.ts';

const rules = new ExpressionRules(
  parseSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.a <= self.b' }],
      },
    },
  }),
);
const pair = (a: number, b: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Pair',
  metadata: { name: 'pair' },
  spec: { a, b },
});

const check = (...given: Parameters<ExpressionRules['check']>) => finish(rules.check(...given));

describe('the rules of a custom resource', () => {
  test('add to what its schema has found', () => {
    const found = { reason: 'FieldValueInvalid', field: 'spec.a', body: 'Invalid value: 2: odd' } as const;
    expect(check(pair(1, 2), undefined, [])).toEqual([]);
    expect(check(pair(2, 1), undefined, [found]).map(({ field }) => field)).toEqual(['spec.a', 'spec']);
  });

  test('are not applied to what is not even of the right shape', () => {
    const found = { reason: 'FieldValueRequired', field: 'spec.b', body: 'Required value' } as const;
    expect(check(pair(2, 1), undefined, [found])).toEqual([
      found,
      {
        reason: 'FieldValueInvalid',
        field: '<nil>',
        body: expect.stringMatching(/^Invalid value: null: some validation rules were not checked/),
      },
    ]);
  });

  test('tolerate what was wrong before and has not changed, and tell so', () => {
    const next = pair(2, 1);
    expect(check(next, pair(2, 1), [])).toEqual([]);
    expect(rules.toleratedIn(next)).toEqual(['spec: Invalid value: failed rule: self.a <= self.b']);
    expect(check(pair(3, 1), pair(2, 1), [])).toHaveLength(1);
  });
});
