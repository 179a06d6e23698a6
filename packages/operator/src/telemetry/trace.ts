/** Object of a reconcile. */
export interface TracedRequest {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Reason of a reconcile, as data. See `Reason`. */
export interface TracedReason {
  readonly cause: string;
  readonly kind?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly isInitial?: boolean;
}

/** Result of a reconcile, as in metrics. */
export type TracedOutcome = 'success' | 'requeue_after' | 'error';

/** Object that a step is about; without a name, objects of the resource in a namespace or in all. */
export interface StepTarget {
  /** With its group and subresource: `deployments.apps/status`. */
  readonly resource: string;
  /** Absent where only the resource is known. */
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A read of a reconcile, from a cache or from the server. */
export interface ReadStep extends StepTarget {
  readonly type: 'read';
  readonly atMs: number;
  readonly from: 'cache' | 'server';
  /** Revision of the cache or of the response. */
  readonly revision?: string;
  /** Number of objects of a list; 0 or 1 for one object. */
  readonly found: number;
}

/**
 * A write of a reconcile. `suppressed` writes were not sent, because the object already is as wanted; the server refused
 * `conflict` and `refused` ones.
 */
export interface WriteStep extends StepTarget {
  readonly type: 'write';
  readonly atMs: number;
  readonly verb: string;
  readonly outcome: 'sent' | 'suppressed' | 'conflict' | 'refused';
  /** HTTP status of the response. */
  readonly status?: number;
  /** Revision of the written object. */
  readonly revision?: string;
}

export type TraceStep = ReadStep | WriteStep;

/** One reconcile: its reasons, its steps and its result. */
export interface ReconcileTrace {
  /** Unique in the process. */
  readonly id: number;
  readonly controller: string;
  readonly namespace?: string;
  readonly name: string;
  readonly reasons: readonly TracedReason[];
  /** Time of the start, in milliseconds since 1970. Times of steps count from here. */
  readonly startedMs: number;
  /** Consecutive failures before this reconcile. */
  readonly failures: number;
  readonly steps: readonly TraceStep[];
  /** Number of further steps. */
  readonly omittedSteps: number;
  /** Absent while the reconcile runs. */
  readonly durationMs?: number;
  readonly outcome?: TracedOutcome;
  readonly requeueAfterMs?: number;
  readonly error?: string;
}
