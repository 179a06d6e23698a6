import { expect, test } from 'vitest';
import type { Violation } from '../model/finding.ts';
import type { Plan } from '../model/plan.ts';
import type { Outcome } from '../trial/trial.ts';
import { type Judged, shrink } from './shrink.ts';

const violation: Violation = { rule: 'no-rest', subject: 'fruits default/apple' };
const plan: Plan = { version: 1, seed: 1, scenario: {}, faults: [] };
const found = { plan, rests: 1, steps: ['weigh', 'paint', 'peel'] } as unknown as Outcome;

/** Shrinks with time for so many attempts. Returns the steps that each run left out. */
async function runsWithin(attempts: number): Promise<(readonly string[])[]> {
  const runs: (readonly string[])[] = [];
  const shrunk = await shrink(found, violation, {
    run: async ({ scenario }) => {
      runs.push(scenario.without ?? []);
      return { outcome: found, reference: found, violations: [violation] } satisfies Judged;
    },
    isOver: () => runs.length >= attempts,
  });
  expect(shrunk?.violations).toEqual([violation]);
  return runs;
}

test('what is shortest so far is replayed twice when the time is over', async () => {
  const all = ['weigh', 'paint', 'peel'];
  expect(await runsWithin(9)).toEqual([['weigh'], ['weigh', 'paint'], all, all, all]);
  expect(await runsWithin(1)).toEqual([['weigh'], ['weigh'], ['weigh']]);
  expect(await runsWithin(0)).toEqual([[], []]);
});

test('one object too many of a generated name is one too many in a shorter scenario', async () => {
  const longer: Violation = { rule: 'end-state', subject: 'jobs default/run-*(4)' };
  const outcome = { plan, rests: 3, steps: [] } as unknown as Outcome;
  const shrunk = await shrink(outcome, longer, {
    run: async ({ scenario: { rests = 3 } }) => {
      const found = { ...longer, subject: `jobs default/run-*(${rests + 1})` };
      return { outcome: { ...outcome, rests }, reference: outcome, violations: [found] } satisfies Judged;
    },
    isOver: () => false,
  });
  expect(shrunk?.outcome.rests).toBe(1);
});
