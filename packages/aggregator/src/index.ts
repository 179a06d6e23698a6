export type { AggregatorOptions } from './aggregator.ts';
export { Aggregator } from './aggregator.ts';
export type { RemoteApi } from './remote-api.ts';
