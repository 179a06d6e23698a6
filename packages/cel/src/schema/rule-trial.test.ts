import { parseSchema } from '@pintle/machinery/schema';
import { expect, test } from 'vitest';
import { tryRule } from './rule-trial.ts';

const schema = parseSchema({
  type: 'object',
  properties: { replicas: { type: 'integer' }, names: { type: 'array', maxItems: 5, items: { type: 'string' } } },
});

test('a trial has the type, the value and the cost of a rule', () => {
  const trial = tryRule('self.replicas >= oldSelf.replicas', { schema });
  if (typeof trial === 'string') throw new Error(trial);
  expect(trial).toMatchObject({ type: 'bool', usesOldSelf: true });
  expect(trial.maxCost).toBeGreaterThan(0);
  expect(trial.evaluate({ replicas: 2 }, { replicas: 1 })).toMatchObject({ value: true, isExceeded: false });
  expect(trial.evaluate({ replicas: 1 }, { replicas: 2 })).toMatchObject({ value: false });
  expect(trial.evaluate({ replicas: 1 }, { replicas: 2 }).cost).toBeGreaterThan(0);
});

test('the schema decides what compiles, and an error says where', () => {
  expect(tryRule('self.replicsa > 1', { schema })).toContain('<input>:1:5: undefined field');
  expect(tryRule("self.replicas > 'a'", { schema })).toContain('no matching overload');
  expect(typeof tryRule('self.replicsa > 1')).toBe('object');
});

test('a value without what the expression reads is an error, not an exception', () => {
  const trial = tryRule('self.a.b');
  if (typeof trial === 'string') throw new Error(trial);
  expect(trial.maxCost).toBeUndefined();
  expect(trial.evaluate({}).value).toMatchObject({ message: 'no such key: a' });
});
