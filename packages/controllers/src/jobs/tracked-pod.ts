import type { JobSpec } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';

/** Finalizer that keeps a pod until its Job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
/** Annotation and label with the completion index of a pod. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) ?? false;
}

/** Returns the completion index; `undefined` when it is absent or invalid. */
export function completionIndexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX] ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Returns how many pods of the same index failed before this one and count towards the limit. */
export function indexFailuresOf(pod: Pod): number {
  return countOf(pod, INDEX_FAILURES);
}

/** Returns how many pods of the same index failed before this one and were ignored. */
export function ignoredIndexFailuresOf(pod: Pod): number {
  return countOf(pod, INDEX_IGNORED_FAILURES);
}

/** True when the pod failed. A terminating pod counts as failed, unless the Job replaces only pods that have ended. */
export function isFailed({ metadata, status }: Pod, spec: JobSpec): boolean {
  if (status?.phase === 'Failed') return true;
  if (spec.podReplacementPolicy === 'Failed') return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

/**
 * Returns when the pod ended: the end of its last container, else its last change of readiness, its deletion, or its
 * creation.
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

/** Returns `undefined` while a container runs or has no end time. */
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
