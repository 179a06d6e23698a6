/** One moment of a run, for a picture of it. */
export interface TimelineEvent {
  /** Milliseconds of the plane's time since the first request. */
  readonly atMs: number;
  /** `fault` for faults, starts and ends of the operator, and what it is shown. */
  readonly actor: 'user' | 'operator' | 'controllers' | 'fault';
  readonly change: 'created' | 'changed' | 'deleted' | 'refused' | 'note';
  /** `configmaps default/apple-label`; none for faults. */
  readonly object?: string;
  readonly text: string;
}

/** The run that broke a rule, and the same scenario without faults. */
export interface Timelines {
  readonly withFaults: readonly TimelineEvent[];
  readonly withoutFaults: readonly TimelineEvent[];
}
