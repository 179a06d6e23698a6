import * as prometheus from 'prom-client';
import { expect, test } from 'vitest';
import { counter, type Family, gauge, histogram } from './family.ts';

const BOUNDS = [0.1, 1, 10];
const VALUES = [0.05, 0.1, 0.5, 5, 10, 11, 100];
const ODD = 'a\\b "c"\nd|e\u00e9';

async function expectSameText(family: Family, theirs: prometheus.Metric): Promise<void> {
  const registry = new prometheus.Registry();
  registry.registerMetric(theirs);
  expect(`${[...family.text()].join('')}\n`).toBe(await registry.metrics());
}

test('histograms say what those of prom-client say', async () => {
  const ours = histogram('h', 'H.', ['verb', 'code'], BOUNDS);
  const options = { name: 'h', help: 'H.', buckets: BOUNDS, registers: [] };
  const theirs = new prometheus.Histogram({ ...options, labelNames: ['verb', 'code'] });
  const all = histogram('all', 'H.', [], BOUNDS);
  const theirAll = new prometheus.Histogram({ ...options, name: 'all' });
  for (const value of VALUES) {
    ours.of({ verb: 'GET', code: '200' }).observe(value);
    all.cell().observe(value);
    theirs.observe({ verb: 'GET', code: '200' }, value);
    theirAll.observe(value);
  }
  await expectSameText(ours, theirs);
  await expectSameText(all, theirAll);
});

test('counts are kept apart by their labels, and labels are quoted as prom-client does', async () => {
  const ours = counter('c', 'C\\ of\nlines.', ['verb', 'name']);
  const theirs = new prometheus.Counter({
    name: 'c',
    help: 'C\\ of\nlines.',
    labelNames: ['verb', 'name'],
    registers: [],
  });
  for (const labels of [
    { verb: 'GET', name: ODD },
    { verb: 'PUT', name: '' },
    { verb: 'GET', name: ODD },
  ]) {
    ours.of(labels).value++;
    theirs.inc(labels);
  }
  await expectSameText(ours, theirs);
});

test('a series of what is gone is removed, and begins anew', () => {
  const fruits = gauge('fruits', 'F.', ['namespace', 'name']);
  fruits.of({ namespace: 'a', name: 'b' }).value = 7;
  fruits.of({ namespace: 'a', name: 'c' }).value = 8;
  fruits.remove({ name: 'b', namespace: 'a' });
  fruits.remove({ name: 'b', namespace: 'never' });
  expect([...fruits.text()].join('')).toBe('# HELP fruits F.\n# TYPE fruits gauge\nfruits{namespace="a",name="c"} 8');
  expect(fruits.of({ namespace: 'a', name: 'b' }).value).toBe(0);
});

test('gauges are read when somebody asks', async () => {
  let value = 1;
  const read = gauge('g', 'G.', ['a']);
  read.cell('b').read = () => value;
  const collected = gauge('g', 'G.', ['a'], (family) => {
    family.cell('b').value = value;
  });
  const theirs = new prometheus.Gauge({ name: 'g', help: 'G.', labelNames: ['a'], registers: [] });
  for (value of [0.1, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    theirs.set({ a: 'b' }, value);
    await expectSameText(read, theirs);
    await expectSameText(collected, theirs);
  }
});

test('what is collected is collected anew, and a text that was begun goes on as it began', () => {
  let names = ['a', 'b'];
  const family = gauge('g', 'G.', ['name'], (own) => {
    for (const name of names) own.cell(name).value = 1;
  });
  const begun = family.text();
  begun.next();
  expect(begun.next().value).toBe('\ng{name="a"} 1');
  names = ['c'];
  expect([...family.text()].slice(1)).toEqual(['\ng{name="c"} 1']);
  expect([...begun]).toEqual(['\ng{name="b"} 1']);
});

test('a cell shows up, as zero, from when it was asked for', () => {
  const seen = counter('seen_total', 'What was seen', ['where']);
  expect([...seen.text()]).toEqual(['# HELP seen_total What was seen\n# TYPE seen_total counter']);
  expect(seen.cell('here')).toBe(seen.of({ where: 'here' }));
  expect([...seen.text()].slice(1)).toEqual(['\nseen_total{where="here"} 0']);
});

test('families speak to a registry of prom-client as its own metrics do', async () => {
  const registry = new prometheus.Registry();
  const seen = counter('seen_total', 'What was seen', ['where']);
  const depth = gauge('depth', 'How deep it is', []);
  const took = histogram('took_seconds', 'How long it took', ['what'], [0.1, 1]);
  for (const family of [seen, depth, took]) registry.registerMetric(family as never);
  seen.cell('here').add();
  seen.cell('"there"');
  depth.cell().read = () => 7;
  for (const value of [0.1, 0.2, 5]) took.cell('it').observe(value);
  expect(await registry.metrics()).toBe(`# HELP seen_total What was seen
# TYPE seen_total counter
seen_total{where="here"} 1
seen_total{where="\\"there\\""} 0

# HELP depth How deep it is
# TYPE depth gauge
depth 7

# HELP took_seconds How long it took
# TYPE took_seconds histogram
took_seconds_bucket{what="it",le="0.1"} 1
took_seconds_bucket{what="it",le="1"} 2
took_seconds_bucket{what="it",le="+Inf"} 3
took_seconds_sum{what="it"} 5.3
took_seconds_count{what="it"} 3
`);
  registry.resetMetrics();
  expect(await registry.getSingleMetricAsString('took_seconds')).toBe(
    '# HELP took_seconds How long it took\n# TYPE took_seconds histogram',
  );
});

test.each([
  [
    () => counter('fruits-total', '', []),
    'Cannot define metric "fruits-total": names have letters, digits, _ and : only',
  ],
  [() => gauge('1st', '', []), 'Cannot define metric "1st"'],
  [() => histogram('took', '', ['what-for'], [1]), 'Cannot define metric took: label "what-for"'],
])('a name that Prometheus refuses is refused where it is defined', (define, message) => {
  expect(define).toThrow(message);
});
