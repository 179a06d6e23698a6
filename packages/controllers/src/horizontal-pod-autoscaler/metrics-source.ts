/** What one pod used. */
export interface PodMetric {
  /** In thousandths of the unit. */
  readonly milli: number;
  readonly atMs: number;
  /** The average over so much time before. */
  readonly windowMs: number;
}

/** By the names of pods. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export interface DescribedObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

interface NamedMetric {
  readonly namespace: string;
  readonly metric: string;
  /** Which series of the metric, as a query writes it; '' for all. */
  readonly metricSelector: string;
}

/** Where it is known how much is used. Whatever cannot be told is thrown, in words that people will read. */
export interface MetricsSource {
  /** `container`: of this one only, not of whole pods. */
  resource(query: {
    readonly namespace: string;
    readonly selector: string;
    readonly resource: string;
    readonly container?: string;
  }): Promise<PodMetrics>;
  pods(query: NamedMetric & { readonly selector: string }): Promise<PodMetrics>;
  /** In thousandths. */
  object(query: NamedMetric & { readonly object: DescribedObject }): Promise<number>;
  /** Each series, in thousandths. */
  external(query: NamedMetric): Promise<readonly number[]>;
}
