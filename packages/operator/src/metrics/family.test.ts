import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { counter, gauge, histogram } from './family.ts';

test('families speak to a registry as its own metrics do', async () => {
  const registry = new Registry();
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
});
