import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareVersions,
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  gvkOf,
  parseGroupVersion,
} from './group-version.ts';

describe('parseGroupVersion', () => {
  const cases: [string, { group: string; version: string } | undefined][] = [
    ['v1', { group: '', version: 'v1' }],
    ['apps/v1', { group: 'apps', version: 'v1' }],
    ['example.com/v1alpha1', { group: 'example.com', version: 'v1alpha1' }],
    ['', { group: '', version: '' }],
    ['apps/', { group: 'apps', version: '' }],
    ['a/b/c', undefined],
    ['//', undefined],
  ];
  test.each(cases)('%j', (apiVersion, expected) => expect(parseGroupVersion(apiVersion)).toEqual(expected));

  test('reads back what formatGroupVersion wrote', () => {
    const part = fc.stringMatching(/^[a-z0-9.]{1,12}$/);
    fc.assert(
      fc.property(fc.oneof(fc.constant(''), part), part, (group, version) => {
        expect(parseGroupVersion(formatGroupVersion({ group, version }))).toEqual({ group, version });
      }),
    );
  });
});

test('the core group leaves no trace in texts', () => {
  expect(formatGroupResource({ group: '', resource: 'pods' })).toBe('pods');
  expect(formatGroupResource({ group: 'apps', resource: 'deployments' })).toBe('deployments.apps');
  expect(formatGroupKind({ group: '', kind: 'Pod' })).toBe('Pod');
  expect(formatGroupKind({ group: 'apps', kind: 'Deployment' })).toBe('Deployment.apps');
});

test('gvkOf takes what an object claims', () => {
  expect(gvkOf({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
  });
  expect(gvkOf({ apiVersion: 'a/b/c', kind: 'Odd' })).toBeUndefined();
});

describe('compareVersions', () => {
  test('puts the most stable and newest first, and what is no version last, by name', () => {
    const ordered = [
      'v10',
      'v2',
      'v1',
      'v11beta2',
      'v10beta3',
      'v3beta1',
      'v1beta2',
      'v1beta1',
      'v12alpha1',
      'v11alpha2',
      'foo1',
      'foo10',
      'v0',
      'v1alpha',
    ];
    expect(ordered.toReversed().sort(compareVersions)).toEqual(ordered);
  });

  test('is a total order', () => {
    const version = fc.oneof(fc.stringMatching(/^v[0-9]{1,2}((alpha|beta)[0-9]{1,2})?$/), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
        expect(compareVersions(a, b) === 0).toBe(a === b);
      }),
    );
  });
});
