import { applyJsonPatch, PatchError, readJsonPatch } from '@pintle/machinery/patch';
import { expect, test } from 'vitest';
import { describeRefusal } from './patch-refusal.ts';
import { decodeBase64 } from './review-response.ts';

const DOCUMENT = { data: { a: '1' }, list: ['x'] };

function refusal(...patch: { op: string; [member: string]: unknown }[]): string {
  try {
    applyJsonPatch(DOCUMENT, readJsonPatch(patch as never));
  } catch (error) {
    if (error instanceof PatchError) return describeRefusal(DOCUMENT, patch as never, error);
    throw error;
  }
  throw new Error('The patch applies');
}

test.each([
  [
    { op: 'remove', path: '/data/b' },
    "error in remove for path: '/data/b': Unable to remove nonexistent key: b: missing value",
  ],
  [{ op: 'remove', path: '/no/b' }, 'remove operation does not apply: doc is missing path: "/no/b": missing value'],
  [{ op: 'add', path: '/no/b', value: 1 }, 'add operation does not apply: doc is missing path: "/no/b": missing value'],
  [
    { op: 'add', path: '/list/7', value: 1 },
    "error in add for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  [
    { op: 'replace', path: '/no/b', value: 1 },
    'replace operation does not apply: doc is missing path: /no/b: missing value',
  ],
  [{ op: 'test', path: '/data/a', value: '2' }, 'testing value /data/a failed: test failed'],
  [
    { op: 'move', from: '/no/b', path: '/data/c' },
    'move operation does not apply: doc is missing from path: /no/b: missing value',
  ],
  [
    { op: 'copy', from: '/data/a', path: '/no/b' },
    'copy operation does not apply: doc is missing destination path: /no/b: missing value',
  ],
  [{ op: 'grow', path: '/data/a' }, 'Unexpected kind: grow'],
])('%j is refused in words that authors of webhooks know', (operation, message) => {
  expect(refusal(operation)).toBe(message);
  expect(refusal({ op: 'add', path: '/data/z', value: '9' }, operation)).toBe(message);
});

test.each([
  ['aGk=', 'hi'],
  ['aG\nk=', 'hi'],
  ['', ''],
  ['%%%', 0],
  ['aGk', 0],
  ['aGk=x', 3],
])('%j in base64 is %j', (text, expected) => {
  const decoded = decodeBase64(text);
  expect(typeof decoded === 'number' ? decoded : Buffer.from(decoded).toString()).toBe(expected);
});
