import { expect, test } from 'vitest';
import { ENDLESS } from '../model/finding.ts';
import type { PlannedFault } from '../model/plan.ts';
import type { Outcome } from '../trial/trial.ts';
import { Mask } from '../world/compare.ts';
import type { World } from '../world/world.ts';
import { isLike, judge } from './judge.ts';
import { patternOf } from './patterns.ts';

test.each([
  ['configmaps default/cache', 'configmaps default/cache', true],
  ['configmaps default/cache', 'configmaps */cache', true],
  ['configmaps default/cache', '*', true],
  ['configmaps default/cache', 'configmaps *c*he', true],
  ['configmaps default/cache', 'secrets *', false],
  ['configmaps default/cache', 'configmaps', false],
  ['aba', 'ab*ba', false],
  ['a.c', 'a.c', true],
  ['abc', 'a.c', false],
])('%s is like %s: %s', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});

test('an operator that keeps writing may have a schedule', () => {
  const violation = { rule: 'no-rest', subject: 'fruits default/apple' } as const;
  expect(patternOf({ ...violation, found: ENDLESS }, []).cure).toContain(
    'Explore a schedule with intervals of an hour',
  );
  expect(patternOf({ ...violation, found: 'it is written although nothing has changed' }, []).cure).not.toContain(
    'hour',
  );
});

test.each<[PlannedFault, string[]]>([
  [{ kind: 'hurry', rest: 1, writes: 1 }, []],
  [{ kind: 'crash', after: 'operator create configmaps default/build-1 #1' }, ['configmaps default/build-1']],
])('one of a history that is numbered by a count may be missing after %j', (fault, expected) => {
  const worldOf = (...builds: readonly (readonly [name: string, of: string])[]): World =>
    new Map(
      builds.map(([name, of]) => [`configmaps default/${name}`, { fields: new Map([['data.of', of]]), object: {} }]),
    );
  const creation = { party: 'operator', verb: 'create', status: 201, hasEffect: true, subresource: '' };
  const nothing = {
    failures: new Map(),
    unawaited: new Map(),
    broken: [],
    rejections: [],
    blindDeletions: [],
    watches: 1,
  };
  const reference = {
    ...nothing,
    entries: [0, 1].map((rest) => ({ ...creation, rest, object: `configmaps default/build-${rest + 1}` })),
    world: worldOf(['build-1', 'a'], ['build-2', 'b']),
  } as unknown as Outcome;
  const outcome = { ...reference, struck: new Set([fault]), entries: [], world: worldOf(['build-2', 'b']) } as Outcome;
  const fresh = worldOf(['build-1', 'b']);
  const violations = judge(outcome, { reference, fresh, mask: new Mask(), ignore: [] });
  expect(violations.map(({ subject }) => subject)).toEqual(expected);
});
