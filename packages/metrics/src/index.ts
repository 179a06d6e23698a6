export type { Cell, Reading } from './cell.ts';
export { HistogramCell, NumberCell } from './cell.ts';
export type { Counter, Exposition, Gauge, Histogram, Labels, Sample } from './family.ts';
export { counter, Family, gauge, histogram } from './family.ts';
export type { Combination } from './merge.ts';
export type { MetricSource, OtherMetrics, TextOptions } from './registry.ts';
export { CONTENT_TYPE, MetricsRegistry, PIECE_CHARACTERS } from './registry.ts';
