import { longestComputation } from '@pintle/async/testing';
import { readAmounts } from '@pintle/kinds/usage';
import { expect, test } from 'vitest';
import { totalUsage } from './quota-controller.ts';

test('what objects use is added up, of the named entries alone', () => {
  const usages = [readAmounts({ cpu: '500m', pods: '1' }), readAmounts({ cpu: '1', memory: '1Gi' })];
  const total = totalUsage(new Set(['cpu', 'memory', 'secrets']), usages);
  expect([...total].map(([name, amount]) => [name, amount.toCanonicalString()])).toEqual([
    ['cpu', '1500m'],
    ['memory', '1Gi'],
    ['secrets', '0'],
  ]);
});

test('thousands of objects under a quota of tens of thousands of entries are counted in no time', async () => {
  const names = new Set(Array.from({ length: 30_000 }, (_, i) => `count/r${i}.example.com`));
  const usages = Array.from({ length: 3_000 }, () => readAmounts({ 'count/r5.example.com': '1' }));
  const ms = await longestComputation(async () => {
    expect(totalUsage(names, usages).get('count/r5.example.com')!.toCanonicalString()).toBe('3k');
  });
  expect(ms).toBeLessThan(1_000);
});
