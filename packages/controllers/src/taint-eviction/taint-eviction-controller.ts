import type { CachedClient } from '@pintle/client';
import { Node, Pod, type Taint } from '@pintle/kinds/core/v1';
import { isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { type Controller, type Manager, type Request, type Result, requestOf } from '@pintle/operator';
import { addDisruptionTarget } from '../common/disruption-target.ts';
import { tolerates } from '../common/nodes.ts';
import { podsOnNode } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';

/** Deletes pods from nodes with NoExecute taints which they do not tolerate, or no longer. */
export function addTaintEvictionController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'taint-eviction-controller');
  const recordEvent = ({ namespace = '', name }: Request, what: string): void => {
    const pod = { apiVersion: Pod.apiVersion, kind: Pod.kind, metadata: { namespace, name } };
    record(Pod, pod, { type: 'Normal', reason: 'TaintManagerEviction', message: `${what} ${namespace}/${name}` });
  };
  /** Times since when pods are known to be on nodes that they have to leave. */
  const seen = new Map<string, number>();
  return manager
    .controller(Pod, 'taint-eviction')
    .options({ concurrency: 8 })
    .filter(
      (change) =>
        change.type !== 'updated' ||
        change.object.spec?.nodeName !== change.previous.spec?.nodeName ||
        !deepEqual(change.object.spec?.tolerations, change.previous.spec?.tolerations),
    )
    .watches(
      Node,
      ({ metadata }) => podsOnNode(manager, metadata.name ?? '').map(requestOf),
      (change) =>
        change.type === 'updated'
          ? !deepEqual(evicting(change.object), evicting(change.previous))
          : change.type === 'added' && evicting(change.object).length > 0,
    )
    .reconcileRequests(async (request, { client, clock }): Promise<Result | undefined> => {
      const nowMs = clock.now();
      const key = `${request.namespace}/${request.name}`;
      const pod = await client.find(Pod, request);
      const atMs = pod && (await podEvictionTimeMs(client, pod, seen.get(key) ?? nowMs));
      if (atMs !== undefined && atMs > nowMs) {
        seen.set(key, seen.get(key) ?? nowMs);
        return { requeueAfterMs: atMs - nowMs };
      }
      // A planned eviction is cancelled when it is dropped, or replaced by an immediate one.
      const isOnTime = atMs !== undefined && atMs !== IMMEDIATELY;
      if (seen.delete(key) && !isOnTime) recordEvent(request, 'Cancelling deletion of Pod');
      if (pod === undefined || atMs === undefined) return undefined;
      recordEvent(request, 'Marking for deletion Pod');
      await evict(client, pod, nowMs);
      return undefined;
    });
}

/** Returns when the pod must be evicted; `undefined` when it may stay. */
async function podEvictionTimeMs(client: CachedClient, pod: Pod, seenMs: number): Promise<number | undefined> {
  const { nodeName } = pod.spec ?? {};
  if (!nodeName) return undefined;
  const node = await client.find(Node, { name: nodeName });
  return node && evictionTimeMs(node.spec?.taints ?? [], pod, seenMs);
}

async function evict(client: CachedClient, pod: Pod, nowMs: number): Promise<void> {
  const words = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };
  try {
    await addDisruptionTarget(client, pod, { ...words, nowMs });
    await client.delete(Pod, pod);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function evicting({ spec }: Node): readonly Taint[] {
  return spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
}

/** The eviction is due immediately. */
const IMMEDIATELY = 0;

/**
 * Returns when a pod must leave a node with these taints: `IMMEDIATELY` unless it tolerates all of them, `undefined` when
 * it tolerates them for ever. Time counts from when both the taint and the pod are there; `seenMs` applies to taints
 * without a time.
 */
export function evictionTimeMs(taints: readonly Taint[], pod: Pod, seenMs: number): number | undefined {
  const { tolerations = [] } = pod.spec ?? {};
  const startMs = Date.parse(pod.status?.startTime ?? pod.metadata.creationTimestamp ?? '') || 0;
  const deadlines: number[] = [];
  for (const taint of taints.filter(({ effect }) => effect === 'NoExecute')) {
    const toleration = tolerations.find((candidate) => tolerates(candidate, taint));
    if (toleration === undefined) return IMMEDIATELY;
    if (toleration.tolerationSeconds === undefined) continue;
    const sinceMs = Math.max(startMs, Date.parse(taint.timeAdded ?? '') || seenMs);
    deadlines.push(sinceMs + Math.max(0, Number(toleration.tolerationSeconds)) * 1_000);
  }
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}
