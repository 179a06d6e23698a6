import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../api/objects.ts';
import { diffLines } from './diff.ts';
import { ownersByPath } from './managers.ts';
import { safeLink } from './words.ts';
import { yamlText } from './yaml-lines.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'yes',
    '1e3',
    '0x1',
    '- a',
    'a: b',
    'a #b',
    '~',
    'a\nb',
    'a\nb\n',
    '12:30',
    '2026-01-01',
    ' x',
    '|',
    '',
  ),
);

test('what is written as YAML is read as what it was', () => {
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const object = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), value, { maxKeys: 5, noNullPrototype: true });
  fc.assert(
    fc.property(object, (original) => {
      if (Object.keys(original).length === 0) return;
      expect(parse(yamlText(original), { maxAliasCount: 0 })).toEqual(original);
    }),
    { numRuns: 400 },
  );
});

test('a diff leads from one text to the other', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      expect(diff.filter(({ type }) => type !== 'added').map((line) => line.text)).toEqual(before);
      expect(diff.filter(({ type }) => type !== 'removed').map((line) => line.text)).toEqual(after);
    }),
    { numRuns: 500 },
  );
});

test('a field belongs to whoever set it, an item of a list by its keys', () => {
  const owners = ownersByPath({
    metadata: {
      name: 'web',
      uid: '1',
      resourceVersion: '1',
      managedFields: [
        {
          manager: 'me',
          operation: 'Apply',
          fieldsV1: { 'f:spec': { 'f:list': { 'k:{"name":"b"}': { 'f:image': {} } } } },
        },
        { manager: 'it', operation: 'Update', fieldsV1: { 'f:data': {} } },
      ],
    },
    spec: { list: [{ name: 'a' }, { name: 'b', image: 'x' }] },
    data: { inner: 1 },
  });
  expect(owners(['spec', 'list', 1, 'image']).map(({ name }) => name)).toEqual(['me']);
  expect(owners(['spec', 'list', 0])).toEqual([]);
  expect(owners(['data', 'inner']).map(({ name }) => name)).toEqual(['it']);
});

test.each(['javascript:alert(1)', 'data:text/html,x', ' https://a', 'https://a b', 'ftp://a', '//a'])(
  '%s is no link',
  (link) => expect(safeLink(link)).toBeUndefined(),
);
