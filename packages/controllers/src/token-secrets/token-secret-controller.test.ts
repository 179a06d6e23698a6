import { expect, test } from 'vitest';
import { encode, fixedData, isComplete } from './token-secret-controller.ts';

const from = { rootCa: 'ours', namespace: 'here' };
const check = (data: Record<string, string>, wanted: { 'ca.crt': string; namespace: string }, complete: boolean) => {
  const fixed = fixedData(data, from);
  expect(fixed).toEqual({ 'ca.crt': encode(wanted['ca.crt']), namespace: encode(wanted.namespace) });
  expect(isComplete(data, fixed)).toBe(complete);
};

test('what is missing is filled in', () => check({}, { 'ca.crt': 'ours', namespace: 'here' }, false));

test('another certificate is replaced, another namespace is not', () =>
  check(
    { token: 't', 'ca.crt': encode('theirs'), namespace: encode('there') },
    { 'ca.crt': 'ours', namespace: 'there' },
    false,
  ));

test('a secret that has all is left alone', () =>
  check(
    { token: 't', 'ca.crt': encode('ours'), namespace: encode('there') },
    { 'ca.crt': 'ours', namespace: 'there' },
    true,
  ));
