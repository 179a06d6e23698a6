import type { MetricSource } from '@pintle/metrics';

/**
 * Numbers about the process from now on: memory, processor time, the event loop. The library that has them brings tracing and
 * gateways along: it is loaded when somebody asks for metrics.
 */
export async function openProcessMetrics(): Promise<MetricSource> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { name: 'process', text: async () => [(await registry.metrics()).trimEnd()] };
}
