import { Job, type JobStatus } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Result } from '@pintle/operator';
import { fewAtATime } from '../common/pace.ts';
import { type Balanced, balance, type JobDependencies, stopActive } from './balance.ts';
import { holding, withCondition } from './job-conditions.ts';
import type { FailureRun, PodBackoff } from './pod-backoff.ts';
import { releasePod } from './pod-removal.ts';
import { type Survey, survey } from './survey.ts';
import { isTracked } from './tracked-pod.ts';
import { countReleased, noteEnded, type StatusDraft } from './tracking.ts';
import { COMPLETED, deadlineMs, judge, type Verdict } from './verdict.ts';

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
  readonly #view: Survey;
  readonly #run: FailureRun;
  readonly #status: StatusDraft;
  #job: Job;

  constructor(dependencies: JobDependencies, backoff: PodBackoff, job: Job, pods: readonly Pod[]) {
    this.#dependencies = dependencies;
    this.#backoff = backoff;
    this.#job = job;
    this.#view = survey(job, pods);
    this.#run = backoff.next(job.metadata.uid ?? '', this.#view.newlySucceeded, this.#view.newlyFailed);
    this.#status = draftOf(job.status ?? {});
  }

  async run(): Promise<Result | undefined> {
    const view = this.#view;
    const status = this.#status;
    const { nowMs } = this.#dependencies;
    if (status.startTime === undefined && !view.isSuspended) status.startTime = formatTime(nowMs);
    const startMs = status.startTime === undefined ? undefined : Date.parse(status.startTime);
    let verdict = judge(view, startMs, nowMs);
    const untilMs = verdict === undefined ? deadlineMs(view, startMs) : undefined;
    const isBalanced = verdict === undefined && this.#job.metadata.deletionTimestamp === undefined;
    const balanced = await this.#act(verdict);
    const active = view.active.length + balanced.made - balanced.removed;
    // A Job is not finished while pods run that could not be deleted.
    if (verdict !== undefined && active > 0) verdict = undefined;
    else verdict ??= this.#isDone(active) ? COMPLETED : undefined;
    if (isBalanced && verdict === undefined) this.#noteSuspension();
    status.active = active;
    status.ready = view.ready - balanced.removedReady;
    status.terminating = view.terminating.length + balanced.removed;
    await this.#track(verdict);
    if (balanced.error !== undefined) throw balanced.error;
    const waits = [balanced.waitMs, untilMs && untilMs - nowMs].filter((ms) => ms !== undefined);
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...waits)) };
  }

  async #act(verdict: Verdict | undefined): Promise<Balanced> {
    if (verdict !== undefined) return await stopActive(this.#dependencies, this.#view);
    if (this.#job.metadata.deletionTimestamp !== undefined) return { made: 0, removed: 0, removedReady: 0 };
    return await balance(this.#dependencies, this.#view, this.#run);
  }

  #isDone(active: number): boolean {
    const { completions = 1, succeeded } = this.#view;
    return active === 0 && succeeded >= completions;
  }

  #noteSuspension(): void {
    const status = this.#status;
    const { nowMs, record } = this.#dependencies;
    const words = this.#view.isSuspended
      ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
      : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
    const before = status.conditions ?? [];
    const conditions = withCondition(before, { type: 'Suspended', ...words }, nowMs);
    if (conditions === before) return;
    status.conditions = [...conditions];
    // The active deadline starts again when the Job is resumed.
    if (this.#view.isSuspended) delete status.startTime;
    else status.startTime = formatTime(nowMs);
    const reason = this.#view.isSuspended ? 'Suspended' : 'Resumed';
    record(Job, this.#job, { type: 'Normal', reason, message: words.message });
  }

  async #track(verdict: Verdict | undefined): Promise<void> {
    const tracked = new Set(this.#view.pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ''));
    countReleased(this.#status, tracked);
    const ended = noteEnded(this.#status, this.#view, verdict);
    if (verdict !== undefined) this.#note(verdict.interim, verdict);
    if (await this.#write()) this.#backoff.keep(this.#job.metadata.uid ?? '', this.#run);
    const failure = await this.#release(ended.pods, tracked);
    countReleased(this.#status, tracked);
    const isOver = failure === undefined && ended.isComplete && verdict !== undefined && this.#finish(verdict);
    await this.#write();
    if (failure !== undefined) throw failure;
    if (isOver) this.#announce(verdict);
  }

  /** Returns the first error. */
  async #release(pods: readonly Pod[], tracked: Set<string>): Promise<unknown> {
    const outcomes = await fewAtATime(pods, (pod) => releasePod(this.#dependencies.client, pod));
    for (const [position, { metadata }] of pods.entries())
      if (outcomes[position]!.status === 'fulfilled') tracked.delete(metadata.uid ?? '');
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  /** Finishes the Job when all of its pods have ended and are counted. */
  #finish(verdict: Verdict): boolean {
    const status = this.#status;
    const { succeeded, failed } = status.uncountedTerminatedPods;
    if (succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0) return false;
    if (verdict.interim === 'FailureTarget') this.#note('Failed', verdict);
    else {
      this.#note('Complete', verdict);
      status.completionTime = formatTime(this.#dependencies.nowMs);
    }
    return true;
  }

  #announce({ interim, reason, message }: Verdict): void {
    const { record } = this.#dependencies;
    if (interim === 'FailureTarget') record(Job, this.#job, { type: 'Warning', reason, message });
    else {
      const { completions = Number.POSITIVE_INFINITY } = this.#view;
      const tooMany = 'Too many succeeded pods running after completion count reached';
      if ((this.#status.succeeded ?? 0) > completions)
        record(Job, this.#job, { type: 'Warning', reason: 'TooManySucceededPods', message: tooMany });
      record(Job, this.#job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
    }
  }

  #note(type: string, { reason, message }: Verdict): void {
    const { conditions = [] } = this.#status;
    if (holding(conditions, type) !== undefined) return;
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
