import { expect, test } from 'vitest';
import type { KubeObject, ManagedFields } from '../api/objects.ts';
import { writerOf } from './writer.ts';

const SECOND = '2026-11-19T10:00:00Z';
const EARLIER = '2026-11-19T09:00:00Z';

/** `manager: a b` manages data.a and data.b since the time. */
function version(data: Record<string, string>, ...managers: [string, string, string?][]): KubeObject {
  const managedFields = managers.map(
    ([manager, fields, time = SECOND]): ManagedFields => ({
      manager,
      operation: 'Update',
      time,
      fieldsV1: { 'f:data': Object.fromEntries(fields.split(' ').map((name) => [`f:${name}`, {}])) },
    }),
  );
  return { metadata: { name: 'x', uid: '1', resourceVersion: '1', managedFields }, data };
}

test('a manager alone in its second wrote it', () => {
  expect(writerOf(undefined, version({ a: '1' }, ['old', 'b', EARLIER], ['me', 'a']))).toBe('me');
});

test('of two in one second, the one that was not there before wrote it', () => {
  const before = version({ a: '1' }, ['first', 'a']);
  expect(writerOf(before, version({ a: '1', b: '1' }, ['first', 'a'], ['second', 'b']))).toBe('second');
});

test('of two in one second, the one whose time is another wrote it', () => {
  const before = version({ a: '1', b: '1' }, ['first', 'a'], ['second', 'b', EARLIER]);
  expect(writerOf(before, version({ a: '1', b: '2' }, ['first', 'a'], ['second', 'b']))).toBe('second');
});

test('of two in one second, the one that took a field from the other wrote it', () => {
  const before = version({ a: '1', b: '1', c: '1' }, ['first', 'a c'], ['second', 'b']);
  expect(writerOf(before, version({ a: '2', b: '1', c: '1' }, ['first', 'c'], ['second', 'a b']))).toBe('second');
});

test('of two in one second, the one that manages what changed wrote it', () => {
  const before = version({ a: '1', b: '1' }, ['first', 'a'], ['second', 'b']);
  expect(writerOf(before, version({ a: '1', b: '2' }, ['first', 'a'], ['second', 'b']))).toBe('second');
  expect(writerOf(before, version({ a: '2', b: '1' }, ['first', 'a'], ['second', 'b']))).toBe('first');
});

test('where nothing tells, both are named', () => {
  const after = version({ a: '1', b: '1' }, ['first', 'a'], ['second', 'b']);
  expect(writerOf(undefined, after)).toBe('first or second');
  expect(writerOf(after, after)).toBe('first or second');
});

test('nobody is named where nobody is known', () => {
  expect(writerOf(undefined, { metadata: { name: 'x', uid: '1', resourceVersion: '1' } })).toBe('');
});
