import { expect, test } from 'vitest';
import { Histogram, Registry } from './prometheus.ts';
import { Counts, Histograms } from './tally.ts';

const bounds = [0.1, 1, 10];
const VALUES = [0.05, 0.1, 0.5, 5, 10, 11, 100];

test('histograms say what those of prom-client say', async () => {
  const ours = new Registry();
  const theirs = new Registry();
  const tally = new Histograms({ name: 'h', help: 'H.', registry: ours, bounds }).of({ verb: 'GET', code: '200' });
  const histogram = new Histogram({
    name: 'h',
    help: 'H.',
    labelNames: ['verb', 'code'],
    buckets: bounds,
    registers: [theirs],
  });
  for (const value of VALUES) {
    tally.observe(value);
    histogram.observe({ verb: 'GET', code: '200' }, value);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('counts are kept apart by their labels', async () => {
  const registry = new Registry();
  const counts = new Counts({ name: 'c', help: 'C.', registry });
  counts.of({ verb: 'GET' }).value += 2;
  counts.of({ verb: 'PUT' }).value++;
  expect(await registry.metrics()).toBe('# HELP c C.\n# TYPE c counter\nc{verb="GET"} 2\nc{verb="PUT"} 1\n');
});
