import { expect, test } from 'vitest';
import type { JsonObject } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import { compileTyped } from './compile-typed.ts';
import { compileStripEmptyLists } from './strip-empty-lists.ts';

const names: Schema = { type: 'array', items: { type: 'string', goType: 'string' }, zero: 'emit' };
const rule: Schema = { type: 'object', goType: 'v1.Rule', properties: { verbs: names } };
const role: Schema = {
  type: 'object',
  goType: 'v1.Role',
  properties: {
    rules: { type: 'array', items: rule, zero: 'emit' },
    spec: { type: 'object', goType: 'v1.Spec', properties: { names, spare: { ...names, zero: 'omit' } }, zero: 'emit' },
  },
};

function stored(sent: JsonObject): JsonObject {
  const { value } = compileTyped(role).read(sent);
  compileStripEmptyLists(role)(value);
  return value;
}

test('an empty list that is always printed is read as it was sent, and stored as none', () => {
  const sent = { rules: [], spec: { names: [], spare: [] } };
  expect(compileTyped(role).read(sent).value).toEqual({ rules: [], spec: { names: [] } });
  expect(stored(sent)).toEqual({ rules: null, spec: { names: null } });
});

test('what was forgotten can be remembered', () => {
  const object: JsonObject = { rules: [], spec: { names: [] } };
  compileStripEmptyLists(role)(object)();
  expect(object).toEqual({ rules: [], spec: { names: [] } });
});

test('lists in lists are read as what is stored of them', () => {
  expect(compileTyped(role).read({ rules: [{ verbs: [] }] }).value).toMatchObject({ rules: [{ verbs: null }] });
});

test('lists with items stay', () => {
  const sent = { rules: [{ verbs: ['get'] }], spec: { names: ['a'] } };
  expect(stored(sent)).toEqual(sent);
});
