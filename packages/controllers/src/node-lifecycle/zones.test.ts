import { expect, test } from 'vitest';
import { evictionsPerSecond, zoneState } from './zones.ts';

test.each([
  [3, 0, 'Normal'],
  [1, 2, 'Normal'],
  [2, 3, 'PartialDisruption'],
  [0, 1, 'FullDisruption'],
] as const)('with %i nodes ready and %i not, a zone is in state %s', (ready, notReady, state) => {
  expect(zoneState(ready, notReady)).toBe(state);
});

test('in a zone that is partly disrupted nodes are given up slowly, and in a small one not at all', () => {
  expect(evictionsPerSecond('Normal', 3)).toBe(0.1);
  expect(evictionsPerSecond('PartialDisruption', 100)).toBe(0.01);
  expect(evictionsPerSecond('PartialDisruption', 5)).toBe(0);
});
