import type { Pod, PodCondition } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

/** State of a pod that a kubelet reports in its conditions. */
export interface PodConditions {
  readonly isInitialized: boolean;
  readonly areContainersReady: boolean;
  /** Reason why they are not. */
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the kubelet's conditions of a pod. Unchanged ones keep their times. */
export function podConditions(pod: Pod, state: PodConditions, nowMs: number): PodCondition[] {
  const { isInitialized, areContainersReady, reason, message } = state;
  const { generation } = pod.metadata;
  const isReady = areContainersReady && areGatesOpen(pod);
  const why = { ...(reason && { reason }), ...(message && { message }) };
  const gateWhy = areContainersReady
    ? { reason: 'ReadinessGatesNotReady', message: 'corresponding condition of pod readiness gate does not exist.' }
    : why;
  const condition = (type: string, isTrue: boolean, words: object = {}): PodCondition => {
    const status = isTrue ? 'True' : 'False';
    const before = pod.status?.conditions?.find((each) => each.type === type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    return {
      type,
      status,
      ...(generation !== undefined && { observedGeneration: generation }),
      lastTransitionTime: since ?? formatTime(nowMs),
      ...(!isTrue && words),
    };
  };
  return [
    condition('PodReadyToStartContainers', true),
    condition('Initialized', isInitialized, why),
    condition('Ready', isReady, gateWhy),
    condition('ContainersReady', areContainersReady, why),
    condition('PodScheduled', true),
  ];
}

function areGatesOpen({ spec, status }: Pod): boolean {
  return (spec?.readinessGates ?? []).every(({ conditionType }) =>
    status?.conditions?.some((condition) => condition.type === conditionType && condition.status === 'True'),
  );
}
