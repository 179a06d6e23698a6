import type { PointId } from '../model/plan.ts';
import type { Party } from './point.ts';

/** A request of a run and its result. */
export interface TraceEntry {
  readonly atMs: number;
  readonly party: Party;
  readonly point: PointId;
  readonly verb: string;
  /** `configmaps default/apple-label` */
  readonly object: string;
  /** `fruits.example.com`, without the subresource. */
  readonly resource: string;
  readonly subresource: string;
  readonly status: number | undefined;
  /** True when it changed something. */
  readonly hasEffect: boolean;
  /** True when it removed the object. */
  readonly isGone: boolean;
  /** True when the object has a deletionTimestamp. */
  readonly isDeleting: boolean;
  /** Changed fields: `spec.size: 1 → 2`. Empty when they are not known, and for objects that were created. */
  readonly changes: string;
  readonly uid: string;
  /** Revision of the store after it, if the response has it. */
  readonly revision: number;
  /** Number of rests before it. */
  readonly rest: number;
  readonly phase: Phase;
  /** Reconcile that sent it: `fruit default/apple`. */
  readonly reconcile: string | undefined;
  /** Fault of this request. */
  readonly fault: string | undefined;
  /** True when the operator saw old objects. */
  readonly isInPast: boolean;
  /** True when the operator was receiving the changes after these. */
  readonly isCatchingUp: boolean;
}

/** During the scenario, after it, while everything is reconciled once more, or after a restart in the end. */
export type Phase = 'scenario' | 'quiet' | 'again' | 'restarted';

/** Another event: a fault begins or ends, or the operator starts. */
export interface TraceNote {
  readonly atMs: number;
  readonly note: string;
}

/** A reconcile that failed. */
export interface ReconcileFailure {
  readonly phase: Phase;
  readonly error: string;
  /** Number of failures of this reconcile without a success between, this one included. */
  readonly inRow: number;
}
