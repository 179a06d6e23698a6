import { expect, test } from 'vitest';
import { TtlSteps } from './node-ttl-controller.ts';

test('the more nodes there are the longer they keep what they read, and a few more or less change nothing', () => {
  const steps = new TtlSteps();
  const seconds = [1, 100, 101, 95, 89, 1_900, 1_801, 1_799].map((nodes) => steps.secondsFor(nodes));
  expect(seconds).toEqual([0, 0, 15, 15, 0, 60, 60, 60]);
});
