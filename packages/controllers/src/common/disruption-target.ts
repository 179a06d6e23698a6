import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

interface Disruption {
  readonly reason: string;
  readonly message: string;
  readonly nowMs: number;
  /** Also sets the phase Failed, when no kubelet will report how the pod ended. */
  readonly marksFailed?: boolean;
  /** Sets `observedGeneration` of the condition. Default: true. */
  readonly setsGeneration?: boolean;
}

/** Sets the phase Failed on a pod whose end no kubelet will report. */
export async function markPodFailed(client: CachedClient, pod: Pod): Promise<void> {
  const { namespace, name = '', uid } = pod.metadata;
  const body = { metadata: { uid }, status: failedStatus(pod) };
  await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}

function failedStatus({ metadata: { generation } }: Pod) {
  return { phase: 'Failed' as const, ...(generation !== undefined && { observedGeneration: generation }) };
}

/** Adds the condition DisruptionTarget to the pod. Writes nothing when the pod has it already. */
export async function addDisruptionTarget(client: CachedClient, pod: Pod, disruption: Disruption): Promise<void> {
  const { reason, message, nowMs, marksFailed = false, setsGeneration = true } = disruption;
  const { namespace, name = '', uid, generation } = pod.metadata;
  const before = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const isTerminal = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  const isFailing = marksFailed && !isTerminal;
  if (before?.status === 'True' && before.reason === reason && !isFailing) return;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason,
    message,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : formatTime(nowMs),
    ...(setsGeneration && generation !== undefined && { observedGeneration: generation }),
  };
  const known = pod.status?.conditions ?? [];
  const order = (before === undefined ? [...known, condition] : known).map(({ type }) => ({ type }));
  const body = {
    metadata: { uid },
    status: { ...(isFailing && failedStatus(pod)), conditions: [condition], '$setElementOrder/conditions': order },
  };
  await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}
