import type { CachedClient } from '@pintle/client';
import { Job } from '@pintle/kinds/batch/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { isForbidden, statusErrorOf } from '@pintle/machinery/errors';
import { smallest } from '../common/extremes.ts';
import { fewAtATime, slowStart } from '../common/pace.ts';
import { isReady } from '../common/pods.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { podOf } from './job-pod.ts';
import { backoffLeftMs, type FailureRun, indexBackoffLeftMs } from './pod-backoff.ts';
import { podsToRemove, releasePod } from './pod-removal.ts';
import { indexesOf, type Survey } from './survey.ts';

/** Pods that one sync creates or deletes at most; the rest follows in the next. */
const MAX_BURST = 500;

/** Dependencies of a sync. */
export interface JobDependencies {
  readonly client: CachedClient;
  readonly record: RecordEvent;
  readonly nowMs: number;
  /** Resolves when the next pod may be created. */
  readonly turn: () => Promise<void>;
}

/** Pods that were created and deleted. */
export interface Balanced {
  readonly made: number;
  readonly removed: number;
  readonly removedReady: number;
  /** Time until missing pods may be created. */
  readonly waitMs?: number;
  /** The first error. */
  readonly error?: unknown;
}

const UNCHANGED: Balanced = { made: 0, removed: 0, removedReady: 0 };

/** Creates missing pods or deletes excess ones; never both at once. */
export async function balance(dependencies: JobDependencies, view: Survey, run: FailureRun): Promise<Balanced> {
  const { active, isSuspended, spec, terminating } = view;
  if (isSuspended) return await removePods(dependencies, view, podsToRemove(view, active.length, dependencies.nowMs));
  const wanted = wantedActive(view);
  const tooMany = podsToRemove(view, Math.max(0, active.length - wanted), dependencies.nowMs);
  if (tooMany.length > 0) return await removePods(dependencies, view, tooMany.slice(0, MAX_BURST));
  const awaited = spec.podReplacementPolicy === 'Failed' ? terminating.length : 0;
  const missing = wanted - awaited - active.length;
  return missing > 0 ? await makeMissing(dependencies, view, run, Math.min(missing, MAX_BURST)) : UNCHANGED;
}

/** Deletes all active pods of a finished Job. They keep their finalizers until they are counted. */
export async function stopActive(dependencies: JobDependencies, view: Survey): Promise<Balanced> {
  return await removeEach(view.active, (pod) => removePod(dependencies, view, pod));
}

function wantedActive({ active, completions, parallelism, succeeded }: Survey): number {
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

async function makeMissing(
  dependencies: JobDependencies,
  view: Survey,
  run: FailureRun,
  count: number,
): Promise<Balanced> {
  const { isIndexed, failedIndexes, awaitingReplacement } = view;
  const waitMs = failedIndexes === undefined ? backoffLeftMs(run, dependencies.nowMs) : 0;
  if (waitMs > 0) return { ...UNCHANGED, waitMs };
  if (!isIndexed)
    return await makePods(
      dependencies,
      view,
      Array.from({ length: count }, () => undefined),
    );
  const pending = pendingIndexes(view, count);
  if (failedIndexes === undefined) return await makePods(dependencies, view, pending);
  const waits = pending.map((index) => indexBackoffLeftMs(awaitingReplacement.get(index), dependencies.nowMs));
  const shortestMs = smallest(waits.filter((ms) => ms > 0)) ?? Number.POSITIVE_INFINITY;
  const balanced = await makePods(
    dependencies,
    view,
    pending.filter((_, position) => waits[position] === 0),
  );
  return Number.isFinite(shortestMs) ? { ...balanced, waitMs: shortestMs } : balanced;
}

function pendingIndexes(view: Survey, count: number): number[] {
  const { active, completions = 0, failedIndexes, spec, succeededIndexes, terminating } = view;
  const taken = [...indexesOf(active), ...(spec.podReplacementPolicy === 'Failed' ? indexesOf(terminating) : [])];
  const settled = failedIndexes === undefined ? succeededIndexes : succeededIndexes.union(failedIndexes);
  return settled.with(taken).firstAbsent(count, completions);
}

async function makePods(
  { client, record, turn }: JobDependencies,
  view: Survey,
  indexes: readonly (number | undefined)[],
): Promise<Balanced> {
  const { job } = view;
  let made = 0;
  const { error } = await slowStart(indexes.length, async (position) => {
    await turn();
    try {
      const pod = await client.create(Pod, podOf(view, indexes[position]));
      made++;
      const message = `Created pod: ${pod.metadata.name}`;
      record(Job, job, { type: 'Normal', reason: 'SuccessfulCreate', message });
    } catch (cause) {
      if (isTerminatingNamespace(cause)) return;
      const message = `Error creating: ${cause instanceof Error ? cause.message : String(cause)}`;
      record(Job, job, { type: 'Warning', reason: 'FailedCreate', message });
      throw cause;
    }
  });
  return { ...UNCHANGED, made, ...(error !== undefined && { error }) };
}

/** Removes the finalizer of a pod that is not needed any more first, so that it does not count as failed. */
async function removePods(dependencies: JobDependencies, view: Survey, pods: readonly Pod[]): Promise<Balanced> {
  return await removeEach(pods, async (pod) => {
    await releasePod(dependencies.client, pod);
    await removePod(dependencies, view, pod);
  });
}

async function removeEach(pods: readonly Pod[], remove: (pod: Pod) => Promise<void>): Promise<Balanced> {
  const outcomes = await fewAtATime(pods, remove);
  const removed = pods.filter((_, position) => outcomes[position]!.status === 'fulfilled');
  const error = outcomes.find((outcome) => outcome.status === 'rejected')?.reason as unknown;
  return {
    made: 0,
    removed: removed.length,
    removedReady: removed.filter(isReady).length,
    ...(error !== undefined && { error }),
  };
}

async function removePod({ client, record }: JobDependencies, { job }: Survey, pod: Pod): Promise<void> {
  const { name } = pod.metadata;
  try {
    if (await client.delete(Pod, pod))
      record(Job, job, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
  } catch (cause) {
    const message = `Error deleting: ${cause instanceof Error ? cause.message : String(cause)}`;
    record(Job, job, { type: 'Warning', reason: 'FailedDelete', message });
    throw cause;
  }
}

function isTerminatingNamespace(error: unknown): boolean {
  return (
    isForbidden(error) &&
    (statusErrorOf(error)?.causes.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  );
}
