import { Job, type JobStatus } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Result } from '@pintle/operator';
import { allSettledLimited } from '../common/concurrency.ts';
import { trueCondition, withCondition } from './job-conditions.ts';
import { COMPLETED, deadlineMs, decideOutcome, type JobOutcome } from './job-outcome.ts';
import { type JobSnapshot, takeSnapshot } from './job-snapshot.ts';
import { deleteActivePods, type JobDependencies, manageJob, type PodChanges } from './manage-job.ts';
import type { BackoffRecord, PodBackoff } from './pod-backoff.ts';
import { removeTrackingFinalizer } from './pods-to-delete.ts';
import { isTracked } from './tracked-pod.ts';
import { addUncounted, flushUncounted, type StatusDraft } from './tracking.ts';

/**
 * One sync of an unfinished Job.
 *
 *     snapshot ──► outcome ──► finished:    delete its pods ─────┐
 *                          └─► unfinished:  create or delete ────┴─► note uids ──► remove finalizers ──► count ──► finish
 *
 * After a crash at any step, the next sync continues from there.
 */
export class JobSync {
  readonly #dependencies: JobDependencies;
  readonly #backoff: PodBackoff;
  readonly #snapshot: JobSnapshot;
  readonly #backoffRecord: BackoffRecord;
  readonly #status: StatusDraft;
  #job: Job;

  constructor(dependencies: JobDependencies, backoff: PodBackoff, job: Job, pods: readonly Pod[]) {
    this.#dependencies = dependencies;
    this.#backoff = backoff;
    this.#job = job;
    this.#snapshot = takeSnapshot(job, pods);
    this.#backoffRecord = backoff.next(
      job.metadata.uid ?? '',
      this.#snapshot.newlySucceeded,
      this.#snapshot.newlyFailed,
    );
    this.#status = draftOf(job.status ?? {});
  }

  async run(): Promise<Result | undefined> {
    const snapshot = this.#snapshot;
    const status = this.#status;
    const { nowMs } = this.#dependencies;
    if (status.startTime === undefined && !snapshot.isSuspended) status.startTime = formatTime(nowMs);
    const startMs = status.startTime === undefined ? undefined : Date.parse(status.startTime);
    let outcome = decideOutcome(snapshot, startMs, nowMs);
    const untilMs = outcome === undefined ? deadlineMs(snapshot, startMs) : undefined;
    const isManaged = outcome === undefined && this.#job.metadata.deletionTimestamp === undefined;
    const changes = await this.#managePods(outcome);
    const active = snapshot.active.length + changes.created - changes.deleted;
    // A Job is not finished while pods run that could not be deleted.
    if (outcome !== undefined && active > 0) outcome = undefined;
    else outcome ??= this.#isDone(active) ? COMPLETED : undefined;
    if (isManaged && outcome === undefined) this.#updateSuspended();
    status.active = active;
    status.ready = snapshot.ready - changes.deletedReady;
    status.terminating = snapshot.terminating.length + changes.deleted;
    await this.#track(outcome);
    if (changes.error !== undefined) throw changes.error;
    const waits = [changes.waitMs, untilMs && untilMs - nowMs].filter((ms) => ms !== undefined);
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...waits)) };
  }

  async #managePods(outcome: JobOutcome | undefined): Promise<PodChanges> {
    if (outcome !== undefined) return await deleteActivePods(this.#dependencies, this.#snapshot);
    if (this.#job.metadata.deletionTimestamp !== undefined) return { created: 0, deleted: 0, deletedReady: 0 };
    return await manageJob(this.#dependencies, this.#snapshot, this.#backoffRecord);
  }

  #isDone(active: number): boolean {
    const { completions = 1, succeeded } = this.#snapshot;
    return active === 0 && succeeded >= completions;
  }

  #updateSuspended(): void {
    const status = this.#status;
    const { nowMs, record } = this.#dependencies;
    const fields = this.#snapshot.isSuspended
      ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
      : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
    const before = status.conditions ?? [];
    const conditions = withCondition(before, { type: 'Suspended', ...fields }, nowMs);
    if (conditions === before) return;
    status.conditions = [...conditions];
    // The active deadline starts again when the Job is resumed.
    if (this.#snapshot.isSuspended) delete status.startTime;
    else status.startTime = formatTime(nowMs);
    const reason = this.#snapshot.isSuspended ? 'Suspended' : 'Resumed';
    record(Job, this.#job, { type: 'Normal', reason, message: fields.message });
  }

  async #track(outcome: JobOutcome | undefined): Promise<void> {
    const tracked = new Set(this.#snapshot.pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ''));
    flushUncounted(this.#status, tracked);
    const ended = addUncounted(this.#status, this.#snapshot, outcome);
    if (outcome !== undefined) this.#setCondition(outcome.interim, outcome);
    if (await this.#write()) this.#backoff.keep(this.#job.metadata.uid ?? '', this.#backoffRecord);
    const failure = await this.#removeFinalizers(ended.pods, tracked);
    flushUncounted(this.#status, tracked);
    const isOver = failure === undefined && ended.isComplete && outcome !== undefined && this.#finish(outcome);
    await this.#write();
    if (failure !== undefined) throw failure;
    if (isOver) this.#recordEvent(outcome);
  }

  /** Returns the first error. */
  async #removeFinalizers(pods: readonly Pod[], tracked: Set<string>): Promise<unknown> {
    const outcomes = await allSettledLimited(pods, (pod) => removeTrackingFinalizer(this.#dependencies.client, pod));
    for (const [position, { metadata }] of pods.entries())
      if (outcomes[position]!.status === 'fulfilled') tracked.delete(metadata.uid ?? '');
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  /** Finishes the Job when all of its pods have ended and are counted. */
  #finish(outcome: JobOutcome): boolean {
    const status = this.#status;
    const { succeeded, failed } = status.uncountedTerminatedPods;
    if (succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return false;
    if (outcome.interim === 'FailureTarget') this.#setCondition('Failed', outcome);
    else {
      this.#setCondition('Complete', outcome);
      status.completionTime = formatTime(this.#dependencies.nowMs);
    }
    return true;
  }

  #recordEvent({ interim, reason, message }: JobOutcome): void {
    const { record } = this.#dependencies;
    if (interim === 'FailureTarget') record(Job, this.#job, { type: 'Warning', reason, message });
    else {
      const { completions = Number.POSITIVE_INFINITY } = this.#snapshot;
      const tooMany = 'Too many succeeded pods running after completion count reached';
      if ((this.#status.succeeded ?? 0) > completions)
        record(Job, this.#job, { type: 'Warning', reason: 'TooManySucceededPods', message: tooMany });
      record(Job, this.#job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
    }
  }

  #setCondition(type: string, { reason, message }: JobOutcome): void {
    const { conditions = [] } = this.#status;
    if (trueCondition(conditions, type) !== undefined) return;
    this.#status.conditions = [
      ...withCondition(conditions, { type, status: 'True', reason, message }, this.#dependencies.nowMs),
    ];
  }

  /** Returns whether the status was written. */
  async #write(): Promise<boolean> {
    const status = statusOf(this.#status);
    if (deepEqual(status, this.#job.status ?? {})) return false;
    this.#job = await this.#dependencies.client.update(Job, { ...this.#job, status }, { subresource: 'status' });
    return true;
  }
}

function draftOf({ uncountedTerminatedPods: { succeeded = [], failed = [] } = {}, ...status }: JobStatus): StatusDraft {
  return { ...status, uncountedTerminatedPods: { succeeded: [...succeeded], failed: [...failed] } };
}

/** Returns the status without counters of 0 and empty lists, as the server stores it. */
function statusOf({ uncountedTerminatedPods: { succeeded, failed }, ...draft }: StatusDraft): JobStatus {
  const status: JobStatus = { ...draft };
  for (const counter of ['active', 'succeeded', 'failed'] as const) if (!status[counter]) delete status[counter];
  if (!status.completedIndexes) delete status.completedIndexes;
  status.uncountedTerminatedPods = {
    ...(succeeded.length > 0 && { succeeded }),
    ...(failed.length > 0 && { failed }),
  };
  return status;
}
