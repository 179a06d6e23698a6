import type { StatefulSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { untilAvailableMs } from '../stateful-sets/status.ts';
import { largest, smallest } from './extremes.ts';

test('the extremes of more numbers than a function takes arguments', () => {
  const numbers = Array.from({ length: 300_000 }, (_, i) => (i * 7) % 300_000);
  expect([smallest(numbers), largest(numbers)]).toEqual([0, 299_999]);
});

test('nothing has no extremes', () => {
  expect([smallest([]), largest([])]).toEqual([undefined, undefined]);
});

test('a stateful set of 200,000 pods knows when the next of them is available', () => {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2000-01-01T00:00:00Z' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, status: { conditions: [condition] } } as unknown as Pod;
  const set = { spec: { minReadySeconds: 10 } } as unknown as StatefulSet;
  const pods = Array.from({ length: 200_000 }, () => pod);
  expect(untilAvailableMs(set, pods, Date.UTC(2000, 0, 1))).toBe(10_000);
});
