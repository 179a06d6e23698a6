import type { QueueObserver } from '@pintle/client';
import type { Request } from './request.ts';

/** Result label of controller-runtime's metric `controller_runtime_reconcile_total`. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error';

export interface FinishedReconcile {
  readonly outcome: ReconcileOutcome;
  readonly durationMs: number;
  /** Error that was thrown, when the outcome is `error`. */
  readonly error?: unknown;
  /** True when the error is a mistake in the program, such as a TypeError. */
  readonly isPanic?: boolean;
}

/** Observes one controller, for metrics and traces. Must be quick and must not throw. */
export interface ReconcileObserver {
  readonly queue?: QueueObserver;
  started?(request: Request): void;
  finished?(request: Request, finished: FinishedReconcile): void;
  /** Wraps every reconcile: returns what it returns, throws what it throws. */
  around?<R>(request: Request, reconcile: () => Promise<R>): Promise<R>;
}

/** True for errors that JavaScript itself throws, and for thrown values that are not errors. */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error) || MISTAKES.some((mistake) => error instanceof mistake);
}

const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];
