import type { CachedClient } from '@pintle/client';
import { Pod, type PodCondition } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import type { Controller, Manager, Result } from '@pintle/operator';
import { isTerminal } from '../common/pods.ts';

const TYPE = 'DisruptionTarget';
/** Age after which a DisruptionTarget condition is stale, as the pod was not deleted. */
const STALE_MS = 2 * 60_000;

/** Sets stale DisruptionTarget conditions to False. */
export function addStaleDisruptionController(manager: Manager): Controller {
  return manager
    .controller(Pod, 'disruption-stale-pods')
    .filter(({ type, object }) => type !== 'deleted' && disruptionTargetOf(object) !== undefined)
    .reconcile(async (pod, { client, clock }): Promise<Result | undefined> => {
      const disruptionTarget = disruptionTargetOf(pod);
      if (disruptionTarget === undefined) return undefined;
      const nowMs = clock.now();
      const waitMs = (Date.parse(disruptionTarget.lastTransitionTime ?? '') || 0) + STALE_MS - nowMs;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      await clearDisruptionTarget(client, pod, nowMs);
      return undefined;
    });
}

/** Ignores conditions that a kubelet set, because pods may take long to end. */
function disruptionTargetOf(pod: Pod): PodCondition | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod)) return undefined;
  return pod.status?.conditions?.find(
    ({ type, status, reason }) => type === TYPE && status === 'True' && reason !== 'TerminationByKubelet',
  );
}

async function clearDisruptionTarget(client: CachedClient, pod: Pod, nowMs: number): Promise<void> {
  const { generation } = pod.metadata;
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === TYPE
      ? {
          type: TYPE,
          status: 'False',
          lastTransitionTime: formatTime(nowMs),
          ...(generation !== undefined && { observedGeneration: generation }),
        }
      : condition,
  );
  await client.update(Pod, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' });
}
