import type { CachedClient, DeleteOptions } from '@pintle/client';
import { Job } from '@pintle/kinds/batch/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { isConflict, isForbidden, statusErrorOf } from '@pintle/machinery/errors';
import { allSettledLimited, slowStartBatch } from '../common/concurrency.ts';
import { smallest } from '../common/extremes.ts';
import { isReady } from '../common/pods.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { newPod } from './job-pod.ts';
import { indexesOf, type JobSnapshot } from './job-snapshot.ts';
import { type BackoffRecord, backoffLeftMs, indexBackoffLeftMs } from './pod-backoff.ts';
import { podsToDelete, stopTracking } from './pods-to-delete.ts';

/** Pods that one sync creates or deletes at most; the rest follows in the next. */
const MAX_BURST = 500;

/** Dependencies of a sync. */
export interface JobDependencies {
  readonly client: CachedClient;
  readonly record: RecordEvent;
  readonly nowMs: number;
  /** Resolves when the next pod may be created. */
  readonly throttle: () => Promise<void>;
}

/** Pods that were created and deleted. */
export interface PodChanges {
  readonly created: number;
  readonly deleted: number;
  readonly deletedReady: number;
  /** Time until missing pods may be created. */
  readonly waitMs?: number;
  /** The first error. */
  readonly error?: unknown;
}

const UNCHANGED: PodChanges = { created: 0, deleted: 0, deletedReady: 0 };

/** Creates missing pods or deletes excess ones; never both at once. */
export async function manageJob(
  dependencies: JobDependencies,
  snapshot: JobSnapshot,
  backoff: BackoffRecord,
): Promise<PodChanges> {
  const { active, isSuspended, spec, terminating } = snapshot;
  if (isSuspended)
    return await deletePods(dependencies, snapshot, podsToDelete(snapshot, active.length, dependencies.nowMs));
  const wanted = wantedActive(snapshot);
  const tooMany = podsToDelete(snapshot, Math.max(0, active.length - wanted), dependencies.nowMs);
  if (tooMany.length > 0) return await deletePods(dependencies, snapshot, tooMany.slice(0, MAX_BURST));
  const awaited = spec.podReplacementPolicy === 'Failed' ? terminating.length : 0;
  const missing = wanted - awaited - active.length;
  return missing > 0
    ? await createMissingPods(dependencies, snapshot, backoff, Math.min(missing, MAX_BURST))
    : UNCHANGED;
}

/** Deletes all active pods of a finished Job. They keep their finalizers until they are counted. */
export async function deleteActivePods(dependencies: JobDependencies, snapshot: JobSnapshot): Promise<PodChanges> {
  return await deleteEach(snapshot.active, (pod) => deletePod(dependencies, snapshot, pod));
}

function wantedActive({ active, completions, parallelism, succeeded }: JobSnapshot): number {
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

async function createMissingPods(
  dependencies: JobDependencies,
  snapshot: JobSnapshot,
  backoff: BackoffRecord,
  count: number,
): Promise<PodChanges> {
  const { isIndexed, failedIndexes, awaitingReplacement } = snapshot;
  const waitMs = failedIndexes === undefined ? backoffLeftMs(backoff, dependencies.nowMs) : 0;
  if (waitMs > 0) return { ...UNCHANGED, waitMs };
  if (!isIndexed)
    return await createPods(
      dependencies,
      snapshot,
      Array.from({ length: count }, () => undefined),
    );
  const pending = pendingIndexes(snapshot, count);
  if (failedIndexes === undefined) return await createPods(dependencies, snapshot, pending);
  const waits = pending.map((index) => indexBackoffLeftMs(awaitingReplacement.get(index), dependencies.nowMs));
  const shortestMs = smallest(waits.filter((ms) => ms > 0)) ?? Number.POSITIVE_INFINITY;
  const changes = await createPods(
    dependencies,
    snapshot,
    pending.filter((_, position) => waits[position] === 0),
  );
  return Number.isFinite(shortestMs) ? { ...changes, waitMs: shortestMs } : changes;
}

function pendingIndexes(snapshot: JobSnapshot, count: number): number[] {
  const { active, completions = 0, failedIndexes, spec, succeededIndexes, terminating } = snapshot;
  const taken = [...indexesOf(active), ...(spec.podReplacementPolicy === 'Failed' ? indexesOf(terminating) : [])];
  const settled = failedIndexes === undefined ? succeededIndexes : succeededIndexes.union(failedIndexes);
  return settled.with(taken).firstAbsent(count, completions);
}

async function createPods(
  { client, record, throttle }: JobDependencies,
  snapshot: JobSnapshot,
  indexes: readonly (number | undefined)[],
): Promise<PodChanges> {
  const { job } = snapshot;
  let created = 0;
  const { error } = await slowStartBatch(indexes.length, async (position) => {
    await throttle();
    try {
      const pod = await client.create(Pod, newPod(snapshot, indexes[position]));
      created++;
      const message = `Created pod: ${pod.metadata.name}`;
      record(Job, job, { type: 'Normal', reason: 'SuccessfulCreate', message });
    } catch (cause) {
      if (isTerminatingNamespace(cause)) return;
      const message = `Error creating: ${cause instanceof Error ? cause.message : String(cause)}`;
      record(Job, job, { type: 'Warning', reason: 'FailedCreate', message });
      throw cause;
    }
  });
  return { ...UNCHANGED, created, ...(error !== undefined && { error }) };
}

/**
 * Deletes pods that are not needed any more, after their finalizers, so that they do not count as failed. One that has changed
 * stays until the next sync: it may have succeeded.
 */
async function deletePods(
  dependencies: JobDependencies,
  snapshot: JobSnapshot,
  pods: readonly Pod[],
): Promise<PodChanges> {
  return await deleteEach(pods, async (pod) => {
    const current = await stopTracking(dependencies.client, pod);
    if (current === undefined) return;
    const { resourceVersion = '' } = current.metadata;
    await deletePod(dependencies, snapshot, current, { preconditions: { resourceVersion } });
  });
}

async function deleteEach(pods: readonly Pod[], remove: (pod: Pod) => Promise<void>): Promise<PodChanges> {
  const outcomes = await allSettledLimited(pods, remove);
  const deleted = pods.filter((_, position) => outcomes[position]!.status === 'fulfilled');
  const error = outcomes.find((outcome) => outcome.status === 'rejected')?.reason as unknown;
  return {
    created: 0,
    deleted: deleted.length,
    deletedReady: deleted.filter(isReady).length,
    ...(error !== undefined && { error }),
  };
}

async function deletePod(
  { client, record }: JobDependencies,
  { job }: JobSnapshot,
  pod: Pod,
  options?: DeleteOptions,
): Promise<void> {
  const { name } = pod.metadata;
  try {
    if (await client.delete(Pod, pod, options))
      record(Job, job, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
  } catch (cause) {
    if (isConflict(cause)) throw cause;
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
