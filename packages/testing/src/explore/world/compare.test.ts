import { expect, test } from 'vitest';
import { aligned, differencesOf } from './compare.ts';
import type { World } from './world.ts';

/** Returns runs with generated names, of these weeks. */
function runsOf(...weeks: readonly string[]): World {
  return new Map(
    weeks.map((week, index) => [
      index === 0 ? 'jobs default/run-*' : `jobs default/run-*(${index + 1})`,
      { fields: new Map([['spec.week', week]]), object: {} },
    ]),
  );
}

test('one object less of a generated name is missing, and the others are what they were', () => {
  expect(differencesOf(runsOf('1', '2', '3'), runsOf('2', '3'))).toEqual([
    { kind: 'missing', object: 'jobs default/run-*' },
  ]);
});

test('one object more of a generated name has a number of its own', () => {
  expect(differencesOf(runsOf('2', '3'), runsOf('1', '2', '3'))).toEqual([
    { kind: 'extra', object: 'jobs default/run-*(3)' },
  ]);
});

test('an object with a generated name that has changed is compared with the one that is most like it', () => {
  expect(differencesOf(runsOf('1', '2'), runsOf('2', '5'))).toEqual([
    { kind: 'field', object: 'jobs default/run-*', field: 'spec.week', expected: '1', found: '5' },
  ]);
});

test('a world keeps its names when there is nothing to choose', () => {
  const [one, other] = [runsOf('1'), runsOf('2')];
  expect(aligned(one, other)).toBe(other);
});

test('objects with a generated name are told apart by what they are for, not by their state', () => {
  const setsOf = (...sets: readonly (readonly [colour: string, replicas: string, ready: string])[]): World =>
    new Map(
      sets.map(([colour, replicas, ready], index) => [
        `replicasets.apps default/web-*${index === 0 ? '' : `(${index + 1})`}`,
        {
          fields: new Map([
            ['spec.replicas', replicas],
            ['spec.template.colour', colour],
            ['status.ready', ready],
          ]),
          object: {},
        },
      ]),
    );
  expect(
    differencesOf(setsOf(['blue', '0', '0'], ['red', '1', '1']), setsOf(['blue', '1', '1'], ['red', '0', '0'])),
  ).toEqual(
    [
      ['replicasets.apps default/web-*', 'spec.replicas', '0', '1'],
      ['replicasets.apps default/web-*', 'status.ready', '0', '1'],
      ['replicasets.apps default/web-*(2)', 'spec.replicas', '1', '0'],
      ['replicasets.apps default/web-*(2)', 'status.ready', '1', '0'],
    ].map(([object, field, expected, found]) => ({ kind: 'field', object, field, expected, found })),
  );
});
