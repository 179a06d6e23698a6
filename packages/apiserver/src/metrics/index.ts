export { ServerMetrics } from './server-metrics.ts';
