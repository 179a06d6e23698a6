import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

interface Disruption {
  readonly reason: string;
  readonly message: string;
  readonly nowMs: number;
  /** Also sets the phase Failed, when no kubelet will report how the pod ended. */
  readonly isLost?: boolean;
  /** Sets `observedGeneration` of the condition. Default: true. */
  readonly saysGeneration?: boolean;
}

/** Sets the phase Failed on a pod whose end no kubelet will report. */
export async function markFailed(client: CachedClient, pod: Pod): Promise<void> {
  const { namespace, name = '', uid } = pod.metadata;
  const body = { metadata: { uid }, status: failedAt(pod) };
  await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}

function failedAt({ metadata: { generation } }: Pod) {
  return { phase: 'Failed' as const, ...(generation !== undefined && { observedGeneration: generation }) };
}

/** Adds the condition DisruptionTarget to the pod. Writes nothing when the pod has it already. */
export async function noteDisruption(client: CachedClient, pod: Pod, disruption: Disruption): Promise<void> {
  const { reason, message, nowMs, isLost = false, saysGeneration = true } = disruption;
  const { namespace, name = '', uid, generation } = pod.metadata;
  const before = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const isEnded = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  const isFailing = isLost && !isEnded;
  if (before?.status === 'True' && before.reason === reason && !isFailing) return;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason,
    message,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : formatTime(nowMs),
    ...(saysGeneration && generation !== undefined && { observedGeneration: generation }),
  };
  const known = pod.status?.conditions ?? [];
  const order = (before === undefined ? [...known, condition] : known).map(({ type }) => ({ type }));
  const body = {
    metadata: { uid },
    status: { ...(isFailing && failedAt(pod)), conditions: [condition], '$setElementOrder/conditions': order },
  };
  await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}
