import { createRequire } from 'node:module';

type Prometheus = typeof import('prom-client');

/**
 * The parts of prom-client that counting takes. Its front door also loads tracing and the measures of the process, ten
 * times as much code, which can wait until somebody asks for metrics.
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
