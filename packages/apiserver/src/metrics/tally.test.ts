import type * as prometheus from 'prom-client';
import { expect, test } from 'vitest';
import { Counter, Gauge, Histogram, Registry } from './prometheus.ts';
import { Counts, type Family, Histograms, Readings } from './tally.ts';

const registry = new Registry();
const bounds = [0.1, 1, 10];
const VALUES = [0.05, 0.1, 0.5, 5, 10, 11, 100];
const ODD = 'a\\b "c"\nd|e\u00e9';

function textOf(family: Family): string {
  return [...family.text()].join('');
}

async function theirText(metric: prometheus.Metric): Promise<string> {
  const own = new Registry();
  own.registerMetric(metric);
  return (await own.metrics()).slice(0, -1);
}

test('histograms say what those of prom-client say', async () => {
  const ours = new Histograms({ name: 'h', help: 'H.', registry, bounds });
  const options = { name: 'h', help: 'H.', buckets: bounds, registers: [] };
  const theirs = new Histogram({ ...options, labelNames: ['verb', 'code'] });
  const all = new Histograms({ name: 'all', help: 'H.', registry, bounds });
  const theirAll = new Histogram({ ...options, name: 'all' });
  for (const value of VALUES) {
    ours.of({ verb: 'GET', code: '200' }).observe(value);
    all.of({}).observe(value);
    theirs.observe({ verb: 'GET', code: '200' }, value);
    theirAll.observe(value);
  }
  expect(textOf(ours)).toBe(await theirText(theirs));
  expect(textOf(all)).toBe(await theirText(theirAll));
});

test('counts are kept apart by their labels, and labels are quoted as prom-client does', async () => {
  const ours = new Counts({ name: 'c', help: 'C.', registry });
  const theirs = new Counter({ name: 'c', help: 'C.', labelNames: ['verb', 'name'], registers: [] });
  for (const labels of [
    { verb: 'GET', name: ODD },
    { verb: 'PUT', name: '' },
    { verb: 'GET', name: ODD },
  ]) {
    ours.of(labels).value++;
    theirs.inc(labels);
  }
  expect(textOf(ours)).toBe(await theirText(theirs));
});

test('readings are taken when somebody asks', async () => {
  let value = 1;
  const ours = new Readings({ name: 'g', help: 'G.', registry, samples: () => [{ labels: { a: 'b' }, value }] });
  const theirs = new Gauge({ name: 'g', help: 'G.', labelNames: ['a'], registers: [] });
  for (value of [0.1, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    theirs.set({ a: 'b' }, value);
    expect(textOf(ours)).toBe(await theirText(theirs));
  }
});
