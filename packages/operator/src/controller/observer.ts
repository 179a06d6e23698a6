import type { QueueObserver } from '@pintle/client';
import type { Request } from './request.ts';

/** How a reconcile ended, in the words of controller-runtime's metrics. */
export type Outcome = 'success' | 'requeue_after' | 'error';

export interface ReconcileEnd {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** What was thrown, when the outcome is an error. */
  readonly error?: unknown;
  /** The program is wrong, not the world. */
  readonly isPanic?: boolean;
}

/** Hears what one controller does, for metrics and traces. It must be quick and must not throw. */
export interface ReconcileObserver {
  readonly queue?: QueueObserver;
  started?(request: Request): void;
  finished?(request: Request, end: ReconcileEnd): void;
  /** Surrounds every reconcile: gives what the reconcile gives, throws what it throws. */
  around?<R>(request: Request, reconcile: () => Promise<R>): Promise<R>;
}

/** What JavaScript throws by itself, and what is no error at all, is a mistake in the program. */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error) || MISTAKES.some((mistake) => error instanceof mistake);
}

const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];
