import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { expect, test } from 'vitest';
import { acceptNames } from './accept-names.ts';

type Names = CustomResourceDefinition['spec']['names'];

function definition(
  names: Names,
  { accepted, group = 'example.com' }: { accepted?: Names; group?: string } = {},
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, names, scope: 'Namespaced', versions: [] },
    ...(accepted && { status: { acceptedNames: accepted } }),
  };
}

const apple: Names = { plural: 'apples', singular: 'apple', kind: 'Apple', listKind: 'AppleList', shortNames: ['ap'] };
const first = definition(apple, { accepted: apple });

test('free names are accepted', () => {
  const pear: Names = { plural: 'pears', singular: 'pear', kind: 'Pear', listKind: 'PearList', categories: ['food'] };
  expect(acceptNames(definition(pear), [first])).toEqual({ accepted: pear });
});

test.each<[string, Partial<Names>, string, string]>([
  ['plural', { plural: 'ap' }, 'PluralConflict', '"ap" is already in use'],
  ['singular', { singular: 'apples' }, 'SingularConflict', '"apples" is already in use'],
  ['short names', { shortNames: ['pe', 'ap'] }, 'ShortNamesConflict', '"ap" is already in use'],
  ['kind', { kind: 'AppleList' }, 'KindConflict', '"AppleList" is already in use'],
  ['list kind', { listKind: 'Apple' }, 'ListKindConflict', '"Apple" is already in use'],
])('a %s in use is refused', (_what, names, reason, message) => {
  const wanted = definition({ plural: 'pears', singular: 'pear', kind: 'Pear', listKind: 'PearList', ...names });
  expect(acceptNames(wanted, [first]).conflict).toEqual({ reason, message });
});

test('another group’s names are nobody’s business', () => {
  expect(acceptNames(definition(apple, { group: 'other.com' }), [first]).conflict).toBeUndefined();
});

test('a refused name leaves the accepted one in place', () => {
  const accepted: Names = { plural: 'pears', kind: 'Pear', listKind: 'PearList' };
  const renamed = definition({ ...accepted, kind: 'Apple' }, { accepted });
  expect(acceptNames(renamed, [first]).accepted.kind).toBe('Pear');
});
