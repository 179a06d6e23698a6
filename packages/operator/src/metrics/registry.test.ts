import { counter } from '@pintle/metrics';
import { Counter } from 'prom-client';
import { expect, test } from 'vitest';
import { ManagerMetrics } from './manager-metrics.ts';
import { openRegistry, register } from './registry.ts';

test('a registry tells what the manager counts, what an operator counts, and its metrics of prom-client', async () => {
  const metrics = new ManagerMetrics();
  const registry = openRegistry(metrics);
  const loaves = counter('loaves_total', 'Loaves baked', ['bakery']);
  register(registry, loaves);
  new Counter({ name: 'own_total', help: 'Own', registers: [registry] }).inc(2);
  loaves.cell('north').add(3);
  metrics.errors.cell('bread').add();
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('controller_runtime_reconcile_errors_total{controller="bread"} 1');
  expect(lines).toContain('loaves_total{bakery="north"} 3');
  expect(lines).toContain('own_total 2');
});
