import type { Pod } from '@pintle/kinds/core/v1';
import { largest } from '../common/extremes.ts';
import { finishedAtMs, ignoredIndexFailuresOf, indexFailuresOf } from './tracked-pod.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** How a job's pods have fared since one of them last succeeded. */
export interface FailureRun {
  readonly failures: number;
  readonly lastFailureMs: number;
}

const NO_FAILURES: FailureRun = { failures: 0, lastFailureMs: 0 };

/** What is remembered of jobs, by their uid. A restart forgets it: pods are then made again sooner than they might. */
export class PodBackoff {
  readonly #runs = new Map<string, FailureRun>();

  /** The run with these pods, which have not been counted yet. */
  next(uid: string, succeeded: readonly Pod[], failed: readonly Pod[]): FailureRun {
    const before = succeeded.length > 0 ? NO_FAILURES : (this.#runs.get(uid) ?? NO_FAILURES);
    const lastSuccessMs = largest(succeeded.map(finishedAtMs)) ?? Number.NEGATIVE_INFINITY;
    const times = failed.map(finishedAtMs).filter((atMs) => succeeded.length === 0 || atMs > lastSuccessMs);
    if (times.length === 0) return before;
    return { failures: before.failures + times.length, lastFailureMs: largest(times)! };
  }

  keep(uid: string, run: FailureRun): void {
    if (run.failures === 0) this.#runs.delete(uid);
    else this.#runs.set(uid, run);
  }

  forget(uid: string): void {
    this.#runs.delete(uid);
  }
}

/** How long no pod is made after so many failures: 10 s, doubled with each, 10 minutes at most. */
export function backoffLeftMs({ failures, lastFailureMs }: FailureRun, nowMs: number): number {
  if (failures === 0) return 0;
  const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.max(0, lastFailureMs + waitMs - nowMs);
}

/** As `backoffLeftMs`, for the index of which this pod was the last to fail. */
export function indexBackoffLeftMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (lastFailed === undefined) return 0;
  const failures = indexFailuresOf(lastFailed) + ignoredIndexFailuresOf(lastFailed) + 1;
  return backoffLeftMs({ failures, lastFailureMs: finishedAtMs(lastFailed) }, nowMs);
}
