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

test('keys are handed out, and taken, with and without the slash before them', () => {
  const { start } = JSON.parse(Buffer.from(encodeContinue({ revision: 1, start: 'a\0' }), 'base64url').toString());
  expect(start).toBe('/a\0');
  expect(decodeContinue(encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a' })).start).toBe('a');
});

test.each([
  ['garbage', /invalid character/],
  [' ', /illegal base64 data at input byte 0/],
  [encode({ v: 'other', rv: 1, start: 'a' }), /does not recognize this encoded version other$/],
  [encode([]), /json: cannot unmarshal array into Go value of type storage.continueToken$/],
  [encode({ rv: 'x' }), /json: cannot unmarshal string into Go struct field continueToken.rv of type int64$/],
  [encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }), /incorrect encoded start resourceVersion/],
  [encode({ v: 'meta.k8s.io/v1', rv: 1, start: '' }), /encoded start key empty/],
  [encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a\0b' }), /continue key is not valid: a/],
  [encode({ v: 'meta.k8s.io/v1', rv: 1, start: '../x' }), /continue key is not valid: ..\/x$/],
  ['x'.repeat(5000), /too long/],
  ['x', /illegal base64 data at input byte 0/],
  ['abc%', /illegal base64 data at input byte 3/],
])('what the server did not hand out is refused: %s', (token, message) => {
  expect(() => decodeContinue(token)).toThrow(message);
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
