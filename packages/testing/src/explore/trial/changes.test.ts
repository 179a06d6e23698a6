import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { TOUCHED } from '../world/world.ts';
import { Changes, describeChanges } from './changes.ts';

const told = (before: JsonObject, after: JsonObject): string => describeChanges({ spec: before }, { spec: after });

test.each([
  ['a change', { size: 1 }, { size: 2 }, 'spec.size: 1 → 2'],
  ['a field that goes', { certificate: 'a' }, {}, 'spec.certificate: "a" → removed'],
  ['a field that comes', {}, { check: { every: 3 } }, 'spec.check: unset → {"every":3}'],
  ['a field in a field', { check: { every: 3 } }, { check: { every: 4 } }, 'spec.check.every: 3 → 4'],
  ['an item', { hosts: ['a', 'b'] }, { hosts: ['a', 'c'] }, 'spec.hosts.1: "b" → "c"'],
  ['another length', { hosts: ['a'] }, { hosts: [] }, 'spec.hosts: ["a"] → []'],
  ['large integers', { id: 9007199254740993n }, { id: 1 }, 'spec.id: 9007199254740993 → 1'],
  [
    'many',
    { a: 1, b: 1, c: 1, d: 1, e: 1 },
    {},
    'spec.a: 1 → removed, spec.b: 1 → removed, spec.c: 1 → removed and 2 more',
  ],
  ['long texts', { a: 'x'.repeat(99) }, { a: '' }, `spec.a: "${'x'.repeat(38)}… → ""`],
  ['long texts with one beginning', { a: `${'x'.repeat(99)}1` }, { a: `${'x'.repeat(99)}2` }, 'spec.a changed'],
  ['nothing', { a: { b: [1] } }, { a: { b: [1] } }, ''],
])('%s is told in short', (_what, before, after, text) => expect(told(before, after)).toBe(text));

test('what the server and the explorer set is not told, nor the values of secrets', () => {
  const before = { metadata: { resourceVersion: '1', generation: 1 }, data: { password: 'YQ==' } };
  const after = { metadata: { resourceVersion: '2', generation: 2, annotations: { [TOUCHED]: 'yes' } }, data: {} };
  expect(describeChanges(before, after)).toBe('data.password: "YQ==" → removed');
  expect(describeChanges({ kind: 'Secret', ...before }, { kind: 'Secret', ...after })).toBe('data.password changed');
});

test('states of different versions are not compared', () => {
  const changes = new Changes();
  const object = (apiVersion: string, size: number): JsonObject => ({
    apiVersion,
    metadata: { uid: 'a' },
    spec: { size },
  });
  expect(changes.note(object('v1', 1))).toBe('');
  expect(changes.note(object('v1', 2))).toBe('spec.size: 1 → 2');
  expect(changes.note(object('v2', 3))).toBe('');
  expect(changes.note({ metadata: {} })).toBe('');
});
