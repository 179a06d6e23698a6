import type { CachedClient, NewObject } from '@pintle/client';
import { CronJob, type CronJobStatus, Job } from '@pintle/kinds/batch/v1';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Schedule } from '@pintle/machinery/time';
import { formatTime, parseSchedule, ZonedTime } from '@pintle/machinery/time';
import type { Result } from '@pintle/operator';
import { controllerRef, isControlledBy } from '../common/owners.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { finishedCondition } from '../jobs/job-conditions.ts';
import { type MissedRuns, missedRuns, untilNextRunMs } from './missed-runs.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

interface CronJobDependencies {
  readonly client: CachedClient;
  readonly record: RecordEvent;
  readonly nowMs: number;
}

/** One sync of a CronJob: delete old Jobs, update the status of the others, create the one that is due. */
export class CronJobSync {
  readonly #dependencies: CronJobDependencies;
  readonly #cronJob: CronJob;
  readonly #jobs: readonly Job[];
  readonly #status: CronJobStatus & { active: NonNullable<CronJobStatus['active']> };

  constructor(dependencies: CronJobDependencies, cronJob: CronJob, jobs: readonly Job[]) {
    this.#dependencies = dependencies;
    this.#cronJob = cronJob;
    this.#jobs = jobs;
    this.#status = { ...cronJob.status, active: [...(cronJob.status?.active ?? [])] };
  }

  async run(): Promise<Result | undefined> {
    let failure: { readonly error: unknown } | undefined;
    let result: Result | undefined;
    try {
      await this.#cleanupFinishedJobs();
      await this.#updateActiveJobs();
      result = await this.#startDueJob();
    } catch (error) {
      failure = { error };
    }
    await this.#writeStatus();
    if (failure !== undefined) throw failure.error;
    return result;
  }

  async #cleanupFinishedJobs(): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = this.#cronJob.spec;
    for (const [type, limit] of [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const) {
      const ended = this.#jobs.filter(
        (job) => finishedCondition(job)?.type === type && job.metadata.deletionTimestamp === undefined,
      );
      const tooMany = limit === undefined ? 0 : Math.max(0, ended.length - limit);
      for (const job of ended.sort(byStart).slice(0, tooMany)) await this.#deleteJob(job).catch(() => undefined);
    }
  }

  async #deleteJob(job: Job): Promise<void> {
    try {
      await this.#dependencies.client.delete(Job, job, { propagationPolicy: 'Background' });
    } catch (error) {
      this.#recordEvent('Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`);
      throw error;
    }
    this.#removeActive(job.metadata.uid);
    this.#recordEvent('Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
  }

  async #updateActiveJobs(): Promise<void> {
    for (const job of this.#jobs) await this.#updateActiveJob(job);
    const known = new Set(this.#jobs.map(({ metadata }) => metadata.uid));
    for (const { uid, name = '' } of this.#status.active.filter((active) => !known.has(active.uid ?? ''))) {
      if ((await this.#findJob(name)) !== undefined) continue;
      this.#recordEvent('Normal', 'MissingJob', `Active job went missing: ${name}`);
      this.#removeActive(uid);
    }
  }

  async #updateActiveJob(job: Job): Promise<void> {
    const { uid, name } = job.metadata;
    const finished = finishedCondition(job);
    const isListed = this.#status.active.some((active) => active.uid === uid);
    if (finished === undefined) {
      if (!isListed)
        this.#recordEvent(
          'Warning',
          'UnexpectedJob',
          `Saw a job that the controller did not create or forgot: ${name}`,
        );
      return;
    }
    if (isListed) {
      this.#removeActive(uid);
      this.#recordEvent('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${finished.type}`);
    }
    const { completionTime } = job.status ?? {};
    const { lastSuccessfulTime } = this.#status;
    if (finished.type !== 'Complete' || completionTime === undefined) return;
    if (lastSuccessfulTime === undefined || Date.parse(completionTime) > Date.parse(lastSuccessfulTime))
      this.#status.lastSuccessfulTime = completionTime;
  }

  async #startDueJob(): Promise<Result | undefined> {
    const { metadata, spec } = this.#cronJob;
    if (metadata.deletionTimestamp !== undefined || !this.#isTimeZoneValid() || spec.suspend) return undefined;
    const schedule = this.#schedule();
    const missed = schedule && this.#missedRuns(schedule);
    if (schedule === undefined || missed === undefined) return undefined;
    if (missed.atMs !== undefined && this.#mayStart(missed.atMs)) await this.#startJob(missed.atMs);
    const current = { ...this.#cronJob, status: this.#status };
    const requeueAfterMs = untilNextRunMs(current, schedule, this.#dependencies.nowMs);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  #isTimeZoneValid(): boolean {
    const { timeZone } = this.#cronJob.spec;
    if (timeZone === undefined) return true;
    try {
      new ZonedTime(timeZone);
      return true;
    } catch {
      const zone = JSON.stringify(timeZone);
      this.#recordEvent('Warning', 'UnknownTimeZone', `invalid timeZone: ${zone}: unknown time zone ${timeZone}`);
      return false;
    }
  }

  #schedule(): Schedule | undefined {
    const { schedule, timeZone } = this.#cronJob.spec;
    const text = JSON.stringify(schedule);
    if (schedule.includes('TZ')) {
      const advice =
        'is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
      this.#recordEvent('Warning', 'UnsupportedSchedule', `CRON_TZ or TZ used in schedule ${text} ${advice}`);
    }
    try {
      return parseSchedule(schedule, timeZone);
    } catch (error) {
      this.#recordEvent('Warning', 'UnparseableSchedule', `unparseable schedule: ${text} : ${messageOf(error)}`);
      return undefined;
    }
  }

  #missedRuns(schedule: Schedule): MissedRuns | undefined {
    try {
      const missed = missedRuns(this.#cronJob, schedule, this.#dependencies.nowMs, { startsLate: false });
      const advice = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      if (missed.atMs !== undefined && missed.count === 'many')
        this.#recordEvent('Warning', 'TooManyMissedTimes', advice);
      return missed;
    } catch (error) {
      const words = `invalid schedule: ${this.#cronJob.spec.schedule} : ${messageOf(error)}`;
      this.#recordEvent('Warning', 'InvalidSchedule', words);
      return undefined;
    }
  }

  #mayStart(atMs: number): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec;
    const { active, lastScheduleTime } = this.#status;
    if (
      startingDeadlineSeconds !== undefined &&
      atMs + Number(startingDeadlineSeconds) * 1_000 < this.#dependencies.nowMs
    ) {
      const time = new Date(atMs).toUTCString().replace('GMT', '+0000');
      this.#recordEvent('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${time}`);
      return false;
    }
    const name = this.#jobName(atMs);
    if (active.some((job) => job.name === name) || lastScheduleTime === formatTime(atMs)) return false;
    if (concurrencyPolicy !== 'Forbid' || active.length === 0) return true;
    const reason = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    this.#recordEvent('Normal', 'JobAlreadyActive', reason);
    return false;
  }

  async #startJob(atMs: number): Promise<void> {
    if (this.#cronJob.spec.concurrencyPolicy === 'Replace') await this.#deleteActiveJobs();
    const job = await this.#create(atMs);
    if (job === undefined) return;
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = job.metadata;
    this.#status.active.push({
      ...{ apiVersion: Job.apiVersion, kind: Job.kind, namespace, name, uid, resourceVersion },
    });
    this.#status.lastScheduleTime = formatTime(atMs);
  }

  async #deleteActiveJobs(): Promise<void> {
    for (const { name = '' } of [...this.#status.active]) {
      const job = await this.#findJob(name);
      if (job !== undefined) await this.#deleteJob(job);
    }
  }

  /** Finds a Job in the CronJob's namespace, whatever namespace the reference in its status has. */
  async #findJob(name: string): Promise<Job | undefined> {
    const { namespace } = this.#cronJob.metadata;
    return await this.#dependencies.client.live.find(Job, { namespace, name });
  }

  /**
   * Returns `undefined` when the Job has another owner or is listed already. Its name is derived from its time, so
   * there is one Job per time.
   */
  async #create(atMs: number): Promise<Job | undefined> {
    const { client } = this.#dependencies;
    const { namespace } = this.#cronJob.metadata;
    try {
      const job = await client.create(Job, this.#newJob(atMs));
      this.#recordEvent('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      return job;
    } catch (error) {
      if (!isAlreadyExists(error)) {
        this.#recordEvent('Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`);
        throw error;
      }
      const job = await client.live.find(Job, { namespace, name: this.#jobName(atMs) });
      if (job === undefined) throw error;
      const isListed = this.#status.active.some(({ uid }) => uid === job.metadata.uid);
      return isControlledBy(job, this.#cronJob) && !isListed ? job : undefined;
    }
  }

  #newJob(atMs: number): NewObject<Job> {
    const { metadata, spec } = this.#cronJob;
    const { metadata: template = {}, spec: jobSpec } = spec.jobTemplate;
    const zone = new ZonedTime(spec.timeZone ?? 'UTC');
    return {
      metadata: {
        namespace: metadata.namespace ?? '',
        name: this.#jobName(atMs),
        ...(template.labels && { labels: template.labels }),
        annotations: { ...template.annotations, [SCHEDULED_AT]: zone.format(atMs) },
        ownerReferences: [controllerRef(CronJob, this.#cronJob)],
      },
      ...(jobSpec && { spec: jobSpec }),
    };
  }

  #jobName(atMs: number): string {
    return `${this.#cronJob.metadata.name}-${Math.floor(atMs / 60_000)}`;
  }

  #removeActive(uid: string | undefined): void {
    this.#status.active = this.#status.active.filter((active) => active.uid !== uid);
  }

  #recordEvent(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#dependencies.record(CronJob, this.#cronJob, { type, reason, message });
  }

  async #writeStatus(): Promise<void> {
    const { active, ...others } = this.#status;
    const status = active.length > 0 ? { ...others, active } : others;
    if (deepEqual(status, this.#cronJob.status ?? {})) return;
    await this.#dependencies.client.update(CronJob, { ...this.#cronJob, status }, { subresource: 'status' });
  }
}

/** Orders Jobs by start time; those that never started come last. */
function byStart(a: Job, b: Job): number {
  const startOf = ({ status }: Job): number => Date.parse(status?.startTime ?? '') || Number.MAX_SAFE_INTEGER;
  return startOf(a) - startOf(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
