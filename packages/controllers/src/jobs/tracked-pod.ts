import type { JobSpec } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';

/** Keeps a pod that has ended until its job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
/** Both an annotation and a label of a pod. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) ?? false;
}

/** `undefined`: none, or none that makes sense. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX] ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** How many pods of the same index failed before this one, and count against the limit. */
export function indexFailuresOf(pod: Pod): number {
  return countOf(pod, INDEX_FAILURES);
}

/** How many pods of the same index failed before this one in spite of which the index goes on. */
export function ignoredIndexFailuresOf(pod: Pod): number {
  return countOf(pod, INDEX_IGNORED_FAILURES);
}

/** A pod that is being stopped counts as failed, unless the job waits for it to end. */
export function isFailed({ metadata, status }: Pod, spec: JobSpec): boolean {
  if (status?.phase === 'Failed') return true;
  if (spec.podReplacementPolicy === 'Failed') return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

/**
 * When it ended, as well as can be told: when the last of its containers did, when it was no longer ready, when it was
 * told to stop, when it was made.
 */
export function finishedAtMs(pod: Pod): number {
  const { metadata, status } = pod;
  const ended = containersEndedMs(pod);
  if (ended !== undefined) return ended;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime);
  if (metadata.deletionTimestamp)
    return Date.parse(metadata.deletionTimestamp) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

/** `undefined` while one of them runs, or does not say. */
function containersEndedMs({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const times = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ].map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  return times.length === 0 || times.some(Number.isNaN) ? undefined : Math.max(...times);
}

function countOf({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : 0;
}
