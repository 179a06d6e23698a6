import { createRequire } from 'node:module';
import type { Family } from '@pintle/metrics';
import type { Metric, Registry } from 'prom-client';
import type { ManagerMetrics } from './manager-metrics.ts';

const require = createRequire(import.meta.url);

/**
 * Returns a registry with the metrics of the manager. Loads `prom-client` on the first call: a manager without a metrics
 * endpoint does not need it.
 */
export function openRegistry({ families }: ManagerMetrics): Registry {
  const { Registry: PromRegistry } = require('prom-client') as typeof import('prom-client');
  const registry = new PromRegistry();
  for (const family of families) register(registry, family);
  return registry;
}

/** The cast is safe: a family has all methods that a registry calls on its metrics. */
export function register(registry: Registry, family: Family): void {
  registry.registerMetric(family as unknown as Metric<string>);
}

/** Adds metrics of the process: memory, CPU time, event loop. */
export function addProcessMetrics(registry: Registry): void {
  const { collectDefaultMetrics } = require('prom-client') as typeof import('prom-client');
  collectDefaultMetrics({ register: registry });
}
