import type { Pod, PodStatus } from '@pintle/kinds/core/v1';
import { Pod as Pods } from '@pintle/kinds/core/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager, ReconcileScope, Result } from '@pintle/operator';
import { isTerminal } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { behaviourOf, type PodRule } from './pod-behaviour.ts';
import { nextStep, stopped } from './pod-life.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** Runs pods of simulated nodes, as their annotations and the rule describe. */
export function addSimulatedKubelet(manager: Manager, nodes: readonly SimulatedNode[], rule?: PodRule): Controller {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const record = eventRecorder(manager, 'kubelet');
  return manager
    .controller(Pods, 'kubelet')
    .options({ concurrency: 100 })
    .filter(({ type, object }) => {
      const node = byName.get(object.spec?.nodeName ?? '');
      if (type === 'deleted') node?.network.release(object.metadata.uid ?? '');
      return node !== undefined && type !== 'deleted' && !(type === 'updated' && isFinalDeletion(object));
    })
    .reconcile(async (pod, scope) => {
      const node = byName.get(pod.spec?.nodeName ?? '');
      if (node === undefined) return undefined;
      const nowMs = scope.clock.now();
      const behaviour = behaviourOf(pod, rule);
      if (pod.metadata.deletionTimestamp !== undefined) return await stop(pod, behaviour.stopAfterMs ?? 0, scope);
      const { status, afterMs, event } = nextStep(pod, behaviour, nowMs);
      if (status !== undefined) {
        const address = node.network.addressOf(pod.metadata.uid ?? '', pod.status?.podIP);
        const addresses = {
          podIP: address,
          podIPs: [{ ip: address }],
          hostIP: node.address,
          hostIPs: [{ ip: node.address }],
        };
        await writeStatus(scope, pod, { ...status, ...addresses });
      }
      if (event !== undefined) record(Pods, pod, { type: 'Warning', ...event });
      return afterMs === undefined ? undefined : { requeueAfterMs: afterMs };
    });
}

/** True before the final deletion: the server sets the grace period to 0. */
function isFinalDeletion({ metadata }: Pod): boolean {
  return metadata.deletionGracePeriodSeconds === 0 && !metadata.finalizers?.length;
}

/** Deletes a pod when its containers have stopped, at the end of its grace period at the latest. */
async function stop(pod: Pod, stopAfterMs: number, scope: ReconcileScope): Promise<Result | undefined> {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace = 0, finalizers } = pod.metadata;
  const endMs = Date.parse(deletionTimestamp ?? '');
  const leftMs = Math.min(endMs, endMs - Number(grace) * 1_000 + stopAfterMs) - scope.clock.now();
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  if (finalizers?.length && !isTerminal(pod)) await writeStatus(scope, pod, stopped(pod, scope.clock.now()));
  if (grace === 0 && finalizers?.length) return undefined;
  await scope.client.delete(Pods, pod, { gracePeriodSeconds: 0 }).catch(ignoring(isNotFound, isConflict));
  return undefined;
}

async function writeStatus({ client }: ReconcileScope, { metadata }: Pod, status: PodStatus): Promise<void> {
  const { namespace, name = '', uid } = metadata;
  const body = { metadata: { uid }, status };
  await client
    .patch(Pods, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' })
    .catch(ignoring(isNotFound, isConflict));
}
