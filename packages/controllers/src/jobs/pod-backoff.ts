import type { Pod } from '@pintle/kinds/core/v1';
import { largest } from '../common/extremes.ts';
import { finishedAtMs, ignoredIndexFailuresOf, indexFailuresOf } from './tracked-pod.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** Failures of a Job's pods since the last success. */
export interface BackoffRecord {
  readonly failures: number;
  readonly lastFailureMs: number;
}

const NO_FAILURES: BackoffRecord = { failures: 0, lastFailureMs: 0 };

/** Failures of Jobs by uid. Lost on restart, after which pods may be created earlier. */
export class PodBackoff {
  readonly #records = new Map<string, BackoffRecord>();

  /** Returns the failures including these pods, which have not been counted yet. */
  next(uid: string, succeeded: readonly Pod[], failed: readonly Pod[]): BackoffRecord {
    const before = succeeded.length > 0 ? NO_FAILURES : (this.#records.get(uid) ?? NO_FAILURES);
    const lastSuccessMs = largest(succeeded.map(finishedAtMs)) ?? Number.NEGATIVE_INFINITY;
    const times = failed.map(finishedAtMs).filter((atMs) => succeeded.length === 0 || atMs > lastSuccessMs);
    if (times.length === 0) return before;
    return { failures: before.failures + times.length, lastFailureMs: largest(times)! };
  }

  keep(uid: string, record: BackoffRecord): void {
    if (record.failures === 0) this.#records.delete(uid);
    else this.#records.set(uid, record);
  }

  forget(uid: string): void {
    this.#records.delete(uid);
  }
}

/** Returns the remaining delay before the next pod is created: 10 s, doubled with each failure, 10 minutes at most. */
export function backoffLeftMs({ failures, lastFailureMs }: BackoffRecord, nowMs: number): number {
  if (failures === 0) return 0;
  const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.max(0, lastFailureMs + waitMs - nowMs);
}

/** Like `backoffLeftMs`, for the index whose last failed pod is given. */
export function indexBackoffLeftMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (lastFailed === undefined) return 0;
  const failures = indexFailuresOf(lastFailed) + ignoredIndexFailuresOf(lastFailed) + 1;
  return backoffLeftMs({ failures, lastFailureMs: finishedAtMs(lastFailed) }, nowMs);
}
