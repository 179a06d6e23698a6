import { expect, test } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';

test('a token comes back as it was', () => {
  const token = { revision: 42, start: 'default/web\0' };
  expect(decodeContinue(encodeContinue(token))).toEqual(token);
  expect(decodeContinue(encodeContinue({ revision: undefined, start: 'a' }))).toEqual({
    revision: undefined,
    start: 'a',
  });
});

test.each([
  ['garbage', /invalid character/],
  [encode({ v: 'other', rv: 1, start: 'a' }), /does not recognize/],
  [encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }), /incorrect encoded start resourceVersion/],
  [encode({ v: 'meta.k8s.io/v1', rv: -2, start: 'a' }), /incorrect encoded start resourceVersion/],
  [encode({ v: 'meta.k8s.io/v1', rv: 1, start: '' }), /empty or malformed/],
  [encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a\0b' }), /empty or malformed/],
  ['x'.repeat(5000), /too long/],
])('what the server did not hand out is refused: %s', (token, message) => {
  expect(() => decodeContinue(token)).toThrow(message);
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
