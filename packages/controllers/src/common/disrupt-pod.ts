import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

interface Disruption {
  readonly reason: string;
  readonly message: string;
  readonly nowMs: number;
  /** Nobody will report how it ended: it counts as failed. */
  readonly isLost?: boolean;
  /** Which generation of the pod it is said of. Default: true. */
  readonly saysGeneration?: boolean;
}

/** Nobody will report how the pod ended: it counts as failed. */
export async function markFailed(client: CachedClient, pod: Pod): Promise<void> {
  const { namespace, name = '', uid } = pod.metadata;
  const body = { metadata: { uid }, status: failedAt(pod) };
  await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}

function failedAt({ metadata: { generation } }: Pod) {
  return { phase: 'Failed' as const, ...(generation !== undefined && { observedGeneration: generation }) };
}

/** Tells whoever looks at the pod that it does not end by its own doing. Says nothing twice. */
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
