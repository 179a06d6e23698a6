import type { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { countByRatio, countByUtilization, countByValue } from './replica-count.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const LONG_AGO = '2025-01-01T00:00:00Z';
const tolerances = { up: 0.1, down: 0.1 };

/** Pods that request 100m each: a number is what one uses, `?` one of which nothing is known, `-` one that is pending. */
function context(text: string) {
  const words = text.split(' ');
  const pods = words.map((word, index) => podOf(`p${index}`, word === '-' ? 'Pending' : 'Running'));
  const used = words.flatMap((word, index) => (/[0-9]/.test(word) ? [[`p${index}`, Number(word)] as const] : []));
  const metrics = new Map(used.map(([name, milli]) => [name, { milli, atMs: NOW_MS, windowMs: 0 }]));
  return { pods, metrics, resource: 'cpu', currentReplicas: words.length, tolerances, nowMs: NOW_MS };
}

function podOf(name: string, phase: string): Pod {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: LONG_AGO }];
  const containers = [{ name: 'app', resources: { requests: { cpu: '100m' } } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers },
    status: { phase, startTime: LONG_AGO, conditions },
  } as Pod;
}

const atHalf = (text: string) => countByUtilization({ ...context(text), targetPercent: 50 }).replicas;

test('there are as many pods as bring each to the target', () => {
  expect(atHalf('100 100')).toBe(4);
  expect(atHalf('20 20 20 20')).toBe(2);
  expect(atHalf('54 54')).toBe(2);
  expect(countByValue({ ...context('90 30'), targetMilli: 20 })).toMatchObject({ replicas: 6, averageMilli: 60 });
});

test('pods that are not known of dampen, and never turn, what is done', () => {
  expect(atHalf('100 ?')).toBe(2);
  expect(atHalf('200 ?')).toBe(4);
  expect(atHalf('10 10 10 ?')).toBe(3);
  expect(atHalf('100 -')).toBe(2);
  expect(() => atHalf('- -')).toThrow('did not receive metrics for targeted pods (pods might be unready)');
});

test('a number for the whole is held against the pods that are ready', () => {
  expect(countByRatio(context('1 1 -'), 2)).toBe(4);
  expect(countByRatio(context('1 1'), 1.05)).toBe(2);
  expect(countByRatio({ pods: [], currentReplicas: 0, tolerances }, 2.5)).toBe(3);
});

test('what is not requested cannot be a part of it', () => {
  const { pods, ...rest } = context('10');
  const bare = pods.map((pod) => ({ ...pod, spec: { containers: [{ name: 'app' }] } }) as Pod);
  expect(() => countByUtilization({ ...rest, pods: bare, targetPercent: 50 })).toThrow(
    'missing request for cpu in container app of Pod p0',
  );
});
