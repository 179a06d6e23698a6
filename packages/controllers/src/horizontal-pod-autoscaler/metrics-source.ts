/** Usage of one pod. */
export interface PodMetric {
  /** Value in thousandths of the unit. */
  readonly milli: number;
  readonly atMs: number;
  /** Time that the value is averaged over. */
  readonly windowMs: number;
}

/** Usage by pod name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export interface DescribedObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

interface NamedMetric {
  readonly namespace: string;
  readonly metric: string;
  /** Label selector of the metric's series, as a query has it; '' for all. */
  readonly metricSelector: string;
}

/** Source of metrics. Methods reject with messages that become events and conditions. */
export interface MetricsSource {
  /** Usage of pods, or of one `container` in each. */
  resource(query: {
    readonly namespace: string;
    readonly selector: string;
    readonly resource: string;
    readonly container?: string;
  }): Promise<PodMetrics>;
  pods(query: NamedMetric & { readonly selector: string }): Promise<PodMetrics>;
  /** Value in thousandths. */
  object(query: NamedMetric & { readonly object: DescribedObject }): Promise<number>;
  /** Values of all series, in thousandths. */
  external(query: NamedMetric): Promise<readonly number[]>;
}
