import type { PointId } from '../model/plan.ts';
import type { Party } from './point.ts';

/** A request of a run, and what became of it. */
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
  /** It changed something. */
  readonly hasEffect: boolean;
  /** The object is no more after it. */
  readonly isGone: boolean;
  /** The object was marked to be deleted by it, or before. */
  readonly isDeleting: boolean;
  readonly uid: string;
  /** The revision of the store after it, where the answer tells. */
  readonly revision: number;
  /** How many rests came before it. */
  readonly rest: number;
  /** The part of the run it belongs to. */
  readonly phase: Phase;
  /** The reconcile it was sent by: `fruit default/apple`. */
  readonly reconcile: string | undefined;
  /** The fault that struck it. */
  readonly fault: string | undefined;
  /** The operator was shown the past when it was sent. */
  readonly isInPast: boolean;
  /** The operator was shown what came after that past, of some kinds sooner than of others. */
  readonly isCatchingUp: boolean;
}

/** The scenario runs, it has ended and nothing more is to happen, or everything is reconciled once more. */
export type Phase = 'scenario' | 'quiet' | 'again';

/** Something else that is worth telling: a fault begins or ends, or the operator starts. */
export interface TraceNote {
  readonly atMs: number;
  readonly note: string;
}
