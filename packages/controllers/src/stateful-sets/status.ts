import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { smallest } from '../common/extremes.ts';
import { availableAtMs, isAvailable, isReady } from '../common/pods.ts';
import { revisionOf, sizeOf } from './identity.ts';

export interface Revisions {
  /** Revision of pods below the partition, and of all pods before the update. */
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod);
}

/** True when the pod is available and not terminating. */
export function isRunningAndAvailable({ spec }: StatefulSet, pod: Pod, nowMs: number): boolean {
  return isRunningAndReady(pod) && !isTerminating(pod) && isAvailable(pod, spec?.minReadySeconds ?? 0, nowMs);
}

export function statefulStatus(
  set: StatefulSet,
  { current, update }: Revisions,
  pods: readonly Pod[],
  { collisionCount, nowMs }: { readonly collisionCount: number; readonly nowMs: number },
): StatefulSetStatus {
  const ready = pods.filter(isRunningAndReady);
  const { minReadySeconds = 0 } = set.spec ?? {};
  const available = ready.filter((pod) => isAvailable(pod, minReadySeconds, nowMs));
  const having = ({ metadata }: ControllerRevision): number =>
    pods.filter((pod) => !isTerminating(pod) && revisionOf(pod) === metadata.name).length;
  const updated = having(update);
  const isRolling = set.spec?.updateStrategy?.type !== 'OnDelete';
  const isComplete = isRolling && [updated, ready.length, pods.length].every((count) => count === sizeOf(set));
  const { name: currentRevision = '' } = (isComplete ? update : current).metadata;
  const currentReplicas = isComplete ? updated : having(current);
  const { conditions } = set.status ?? {};
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(currentReplicas > 0 && { currentReplicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    currentRevision,
    updateRevision: update.metadata.name ?? '',
    collisionCount,
    ...(conditions && { conditions }),
    availableReplicas: available.length,
  };
}

/** Returns the time until the next ready pod becomes available. */
export function untilAvailableMs({ spec }: StatefulSet, pods: readonly Pod[], nowMs: number): number | undefined {
  const times = pods.map((pod) => (availableAtMs(pod, spec?.minReadySeconds ?? 0) ?? 0) - nowMs).filter((ms) => ms > 0);
  return smallest(times);
}
