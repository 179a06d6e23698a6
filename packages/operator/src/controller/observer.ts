import type { QueueObserver } from '@pintle/client';
import type { Request } from './request.ts';

/** How a reconcile ended, in the words of controller-runtime's metrics. */
export type Outcome = 'success' | 'requeue_after' | 'error';

export interface ReconcileEnd {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** What was thrown, when the outcome is an error. */
  readonly error?: unknown;
}

/** Hears what one controller does, for metrics and traces. It must be quick and must not throw. */
export interface ReconcileObserver {
  readonly queue?: QueueObserver;
  started?(request: Request): void;
  finished?(request: Request, end: ReconcileEnd): void;
  /** Surrounds every reconcile: gives what the reconcile gives, throws what it throws. */
  around?<R>(request: Request, reconcile: () => Promise<R>): Promise<R>;
}
