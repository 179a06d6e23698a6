import { createRequire } from 'node:module';
import type { Family } from '@pintle/metrics';
import type { Metric, Registry } from 'prom-client';
import type { ManagerMetrics } from './manager-metrics.ts';

const require = createRequire(import.meta.url);

/**
 * A registry of its own, with what the manager counts. The library is loaded with the first call: a manager that nobody
 * asks for metrics does without.
 */
export function openRegistry({ families }: ManagerMetrics): Registry {
  const { Registry: PromRegistry } = require('prom-client') as typeof import('prom-client');
  const registry = new PromRegistry();
  for (const family of families) register(registry, family);
  return registry;
}

/** A family answers what a registry asks of its metrics, which is less than what their classes offer. */
export function register(registry: Registry, family: Family): void {
  registry.registerMetric(family as unknown as Metric<string>);
}

/** What Node tells of the process itself: memory, processor time, the event loop. */
export function addProcessMetrics(registry: Registry): void {
  const { collectDefaultMetrics } = require('prom-client') as typeof import('prom-client');
  collectDefaultMetrics({ register: registry });
}
