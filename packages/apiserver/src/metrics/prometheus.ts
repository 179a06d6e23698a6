import { createRequire } from 'node:module';

type Prometheus = typeof import('prom-client');

/**
 * The parts of prom-client that counting takes. Its front door also loads tracing and gateways, ten times as much code.
 */
const part = createRequire(import.meta.url);

export const Counter = part('prom-client/lib/counter') as Prometheus['Counter'];
export const Gauge = part('prom-client/lib/gauge') as Prometheus['Gauge'];
export const Histogram = part('prom-client/lib/histogram') as Prometheus['Histogram'];
export const Registry = part('prom-client/lib/registry') as Prometheus['Registry'];
export const { exponentialBuckets } = part('prom-client/lib/bucketGenerators') as Pick<
  Prometheus,
  'exponentialBuckets'
>;

/** Adds numbers about the process. The code for it, which brings tracing along, can wait until somebody asks for metrics. */
export function collectProcessMetrics(registry: InstanceType<Prometheus['Registry']>): void {
  const collect = part('prom-client/lib/defaultMetrics') as Prometheus['collectDefaultMetrics'];
  collect({ register: registry });
}
