import type { Binding, Node } from '@pintle/kinds/core/v1';
import { Binding as Bindings, Node as Nodes, Pod } from '@pintle/kinds/core/v1';
import { addAmounts, podAmounts, readAmounts } from '@pintle/kinds/usage';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { Controller, Manager, ReconcileScope } from '@pintle/operator';
import { controllerOf } from '../common/controller-ref.ts';
import { isEnded } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import type { Candidate } from './node-fit.ts';
import { whyNot } from './node-fit.ts';
import { whyNotWithOthers } from './pod-affinity.ts';

const NAME = 'default-scheduler';
/** How soon a pod that fits nowhere is looked at again, whatever happens; changes of nodes and pods come sooner. */
const RETRY_MS = 30_000;

/** Puts pods on nodes: where they fit, are allowed and wanted, and where there is most room. */
export function addScheduler(manager: Manager): Controller {
  const record = eventRecorder(manager, NAME);
  /** Bound, but not seen there yet. */
  const assumed = new Map<string, { readonly pod: Pod; readonly nodeName: string }>();
  const controller = manager
    .controller(Pod, 'scheduler')
    .filter((change) => change.type !== 'deleted' && isWaiting(change.object))
    .watches(Nodes, () => waiting(manager))
    .watches(
      Pod,
      () => waiting(manager),
      (change) =>
        change.type === 'deleted' || (change.type === 'updated' && isEnded(change.object) && !isEnded(change.previous)),
    )
    .reconcile(async (pod, scope) => {
      const uid = pod.metadata.uid ?? '';
      if (!isWaiting(pod) || assumed.has(uid)) return undefined;
      const candidates = await candidatesOf(scope, assumed);
      const reasons = new Map<string, number>();
      const fitting = candidates.filter((candidate) => {
        const reason = whyNot(pod, candidate) ?? whyNotWithOthers(pod, candidate, candidates);
        if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        return reason === undefined;
      });
      const best = bestOf(pod, fitting);
      if (best === undefined) {
        const message = describe(candidates.length, reasons);
        record(Pod, pod, { type: 'Warning', reason: 'FailedScheduling', message });
        await tellUnschedulable(scope, pod, message);
        return { requeueAfterMs: RETRY_MS };
      }
      const nodeName = best.node.metadata.name ?? '';
      assumed.set(uid, { pod, nodeName });
      try {
        await bind(scope, pod, nodeName);
      } catch (error) {
        assumed.delete(uid);
        if (isNotFound(error) || isConflict(error)) return undefined;
        throw error;
      }
      const { namespace, name } = pod.metadata;
      record(Pod, pod, {
        type: 'Normal',
        reason: 'Scheduled',
        message: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
      });
      return undefined;
    });
  return controller;
}

function isWaiting({ metadata, spec, status }: Pod): boolean {
  const isOurs = (spec?.schedulerName ?? NAME) === NAME && !spec?.schedulingGates?.length;
  return isOurs && !spec?.nodeName && !metadata.deletionTimestamp && !isEnded({ metadata, status } as Pod);
}

function* waiting(manager: Manager): Iterable<{ namespace: string; name: string }> {
  for (const pod of manager.informers.find(Pod)?.cache.list() ?? []) {
    const { namespace = '', name = '' } = pod.metadata;
    if (isWaiting(pod)) yield { namespace, name };
  }
}

async function candidatesOf(
  { client }: ReconcileScope,
  assumed: Map<string, { readonly pod: Pod; readonly nodeName: string }>,
): Promise<Candidate[]> {
  const byNode = new Map<string, Pod[]>();
  const place = (nodeName: string, pod: Pod): void => void byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), pod]);
  for (const pod of await client.list(Pod)) {
    if (pod.spec?.nodeName) assumed.delete(pod.metadata.uid ?? '');
    if (pod.spec?.nodeName && !isEnded(pod)) place(pod.spec.nodeName, pod);
  }
  for (const { pod, nodeName } of assumed.values()) place(nodeName, pod);
  return (await client.list(Nodes)).map((node) => {
    const pods = byNode.get(node.metadata.name ?? '') ?? [];
    const requested = pods.reduce((sum, pod) => addAmounts(sum, podAmounts(pod, 'requests')), new Map());
    return { node, pods, requested };
  });
}

/** Where most is left after the pod, and fewest of its siblings are. */
function bestOf(pod: Pod, candidates: readonly Candidate[]): Candidate | undefined {
  const owner = controllerOf(pod)?.uid;
  const worth = ({ node, pods, requested }: Candidate): number => {
    const siblings = owner === undefined ? 0 : pods.filter((other) => controllerOf(other)?.uid === owner).length;
    return roomOf(node, requested) - siblings - pods.length / 1_000;
  };
  let best: { readonly candidate: Candidate; readonly worth: number } | undefined;
  for (const candidate of candidates) {
    const own = worth(candidate);
    if (best === undefined || own > best.worth) best = { candidate, worth: own };
  }
  return best?.candidate;
}

/** From 0, full, to 1, empty. */
function roomOf({ status }: Node, requested: Candidate['requested']): number {
  const allocatable = readAmounts(status?.allocatable ?? status?.capacity);
  const shares = ['cpu', 'memory'].map((name) => {
    const total = allocatable.get(name)?.toNumber() ?? 0;
    return total === 0 ? 0 : 1 - (requested.get(name)?.toNumber() ?? 0) / total;
  });
  return (shares[0]! + shares[1]!) / 2;
}

async function bind({ client }: ReconcileScope, { metadata }: Pod, nodeName: string): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata;
  const binding: Binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { namespace, name, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  };
  await client.live.call({
    method: 'POST',
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/binding`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ ...binding, kind: Bindings.kind })),
  });
}

async function tellUnschedulable({ client, clock }: ReconcileScope, pod: Pod, message: string): Promise<void> {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (before?.status === 'False' && before.message === message) return;
  const { namespace, name = '' } = pod.metadata;
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime: formatTime(clock.now()),
  };
  const body = { status: { conditions: [condition] } };
  await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
function describe(total: number, reasons: ReadonlyMap<string, number>): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available: ${parts.join(', ')}.`;
}
