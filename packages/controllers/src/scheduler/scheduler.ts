import { Turns } from '@pintle/async';
import { type Binding, Binding as Bindings, Namespace, Node as Nodes, Pod } from '@pintle/kinds/core/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import {
  type Change,
  type Controller,
  type Manager,
  type ReconcileScope,
  type Result,
  requestOf,
} from '@pintle/operator';
import { addDisruptionTarget } from '../common/disruption-target.ts';
import { isTerminal } from '../common/pods.ts';
import { eventRecorder, type RecordEvent } from '../common/record-event.ts';
import type { NamespaceLabels } from './affinity-term.ts';
import { ClusterView, priorityOf } from './cluster-view.ts';
import { type Candidate, type Refusal, refusalOf } from './node-fit.ts';
import { NodeInfo } from './node-info.ts';
import { findPreemption, type Preemption } from './preemption.ts';
import { selectNode } from './scoring.ts';
import { hasTopologyConstraints, TopologyConstraints } from './topology-constraints.ts';
import { UnschedulablePods } from './unschedulable-pods.ts';

const NAME = 'default-scheduler';
/** Delay before an unschedulable pod is tried again, when no change of nodes and pods triggers it earlier. */
const RETRY_MS = 30_000;

/**
 * Assigns pods to nodes: filters nodes, prefers those with most room, schedules by priority, and preempts pods of lower
 * priority.
 */
export function addScheduler(manager: Manager): Controller {
  const scheduler = new Scheduler(manager);
  const controller: Controller = manager
    .controller(Pod, 'scheduler')
    .options({ concurrency: 100 })
    .filter((change) => {
      scheduler.onPodChange(change, controller);
      return false;
    })
    .watches(
      Nodes,
      () => [],
      (change) => {
        scheduler.onNodeChange(change);
        return false;
      },
    )
    .watches(PodDisruptionBudget, () => [])
    .watches(
      Namespace,
      () => [],
      (change) => {
        scheduler.onNamespaceChange(change);
        return false;
      },
    )
    .reconcile((pod, scope) => scheduler.schedule(pod, scope));
  controller.addSource(scheduler.unschedulable);
  return controller;
}

/** Returns the fields of a node that affect scheduling. */
function schedulingFieldsOf({ metadata, spec, status }: Nodes): object {
  return { labels: metadata.labels ?? {}, spec: spec ?? {}, allocatable: status?.allocatable ?? {} };
}

const EMPTY_NODE = new NodeInfo();

/** No node fits the pod. */
interface FitError {
  /** Victims on a node, when preemption helps. */
  readonly preemption: Preemption | undefined;
  /** Reason why the pod may not preempt. */
  readonly obstacle: string | undefined;
  /** Reason of each node. */
  readonly reasons: readonly string[];
  readonly total: number;
  /** Number of nodes where preemption could help. */
  readonly preemptible: number;
}

type Decision = { readonly nodeName: string } | FitError;

class Scheduler {
  readonly unschedulable = new UnschedulablePods();
  readonly #record: RecordEvent;
  readonly #view = new ClusterView();
  readonly #labelsOf: NamespaceLabels;
  /** Last decision. The next one waits for it, because it has to know its node. */
  #deciding: Promise<unknown> = Promise.resolve();

  constructor(manager: Manager) {
    this.#labelsOf = (name) => manager.informers.find(Namespace)?.cache.get({ name })?.metadata.labels ?? {};
    this.#record = eventRecorder(manager, NAME);
  }

  /** Handles a change of a pod, which may have to be scheduled or may free room. */
  onPodChange(change: Change<Pod>, { queue }: Controller): void {
    const pod = change.object;
    const { uid = '' } = pod.metadata;
    const isGone = change.type === 'deleted' || isTerminal(pod);
    const wasAssigned = this.#view.isAssigned(uid);
    const isRoomFreed = isGone && this.#view.forget(uid);
    if (!isGone) this.#view.observe(pod);
    if (isGone || pod.spec?.nodeName) this.unschedulable.delete(uid);
    const isUnchanged = this.unschedulable.has(uid) && !isSpecChanged(change);
    if (!isGone && !isUnchanged && isSchedulable(pod)) queue.add(requestOf(pod), { priority: priorityOf(pod) });
    const isNewlyAssigned = !wasAssigned && this.#view.isAssigned(uid);
    if (isRoomFreed) this.unschedulable.wake('all');
    else if (isNewlyAssigned) this.unschedulable.wake(hasTopologyConstraints);
  }

  /**
   * Handles a change of a node. A new or changed node may help pods that fit it when it is empty, by preemption. Pods
   * with anti-affinity on a node that is gone or was relabelled may help all.
   */
  onNodeChange(change: Change<Nodes>): void {
    const node = change.object;
    const before = change.type === 'updated' ? change.previous : undefined;
    if (before !== undefined && deepEqual(schedulingFieldsOf(node), schedulingFieldsOf(before))) return;
    const isRelabelled =
      change.type === 'deleted' || !deepEqual(node.metadata.labels, (before ?? node).metadata.labels);
    if (isRelabelled && this.#view.hasAntiAffinity(node.metadata.name ?? '')) this.unschedulable.wake('all');
    else if (change.type === 'deleted') this.unschedulable.wake(hasTopologyConstraints);
    else
      this.unschedulable.wake(
        (pod) => hasTopologyConstraints(pod) || refusalOf(pod, { node, info: EMPTY_NODE }) === undefined,
      );
  }

  /** Handles a change of namespace labels, which decide which pods affinity terms match. */
  onNamespaceChange(change: Change<Namespace>): void {
    const { name = '', labels } = change.object.metadata;
    if (change.type !== 'updated' || deepEqual(labels, change.previous.metadata.labels)) return;
    this.unschedulable.wake((pod) => hasTopologyConstraints(pod) || pod.metadata.namespace === name);
  }

  async schedule(pod: Pod, scope: ReconcileScope): Promise<Result | undefined> {
    const decided = this.#deciding.then(() => this.#decide(pod, scope));
    this.#deciding = decided.catch(() => undefined);
    const decision = await decided;
    if (decision === undefined) return undefined;
    if ('nodeName' in decision) return await this.#bind(pod, decision.nodeName, scope);
    await this.#handleFailure(pod, decision, scope);
    return { requeueAfterMs: RETRY_MS };
  }

  /** Decides cooperatively: the cluster view may change meanwhile, but there is one decision at a time. */
  async #decide(pod: Pod, { client, clock }: ReconcileScope): Promise<Decision | undefined> {
    const { uid = '' } = pod.metadata;
    if (!isSchedulable(pod) || this.#view.isAssigned(uid)) return undefined;
    const turns = new Turns(clock);
    const candidates = this.#view.candidatesFor(pod, await client.list(Nodes));
    const topology = await TopologyConstraints.of(pod, candidates, this.#labelsOf, turns);
    const refusals = new Map<Candidate, Refusal>();
    const fitting: Candidate[] = [];
    for (const candidate of candidates) {
      const refusal = refusalOf(pod, candidate) ?? topology.refusalOf(candidate.node);
      if (refusal === undefined) fitting.push(candidate);
      else refusals.set(candidate, refusal);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const nominated = fitting.find(({ node }) => node.metadata.name === pod.status?.nominatedNodeName);
    const nodeName = (nominated ?? (await selectNode(pod, fitting, topology, turns)))?.node.metadata.name;
    if (nodeName !== undefined) {
      this.#view.domain(pod, nodeName);
      this.unschedulable.delete(uid);
      return { nodeName };
    }
    this.unschedulable.add(pod);
    const obstacle = preemptionObstacle(pod, candidates);
    const preemptible = candidates.filter((candidate) => refusals.get(candidate)?.isResolvableByPreemption);
    const preemption =
      obstacle === undefined
        ? await findPreemption(pod, preemptible, topology, await client.list(PodDisruptionBudget), turns)
        : undefined;
    const nominatedName = preemption?.node.metadata.name;
    if (nominatedName !== undefined) this.#view.nominate(pod, nominatedName);
    const reasons = [...refusals.values()].map(({ reason }) => reason);
    return { preemption, obstacle, reasons, total: candidates.length, preemptible: preemptible.length };
  }

  /** Binds a pod that the cluster view has assigned already. */
  async #bind(pod: Pod, nodeName: string, scope: ReconcileScope): Promise<undefined> {
    const { uid = '', namespace, name } = pod.metadata;
    try {
      await bind(scope, pod, nodeName);
    } catch (error) {
      if (this.#view.forget(uid)) this.unschedulable.wake('all');
      if (isNotFound(error) || isConflict(error)) return undefined;
      throw error;
    }
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#record(Pod, pod, { type: 'Normal', reason: 'Scheduled', message });
    return undefined;
  }

  /** Records why the pod is unschedulable, and preempts pods of lower priority when that helps. */
  async #handleFailure(
    pod: Pod,
    { preemption, obstacle, reasons, total, preemptible }: FitError,
    scope: ReconcileScope,
  ): Promise<void> {
    const words = describe(total, countReasons(reasons));
    const nodeName = preemption?.node.metadata.name;
    const after = obstacle ?? describe(total, noVictimsReasons(total, preemptible));
    const canPreempt = preemption !== undefined || total === 0;
    const message = canPreempt ? words : `${words} preemption: ${after}`;
    this.#record(Pod, pod, { type: 'Warning', reason: 'FailedScheduling', message });
    await recordUnschedulable(scope, pod, message, nodeName ?? (obstacle && pod.status?.nominatedNodeName));
    if (preemption !== undefined) await this.#preempt(pod, preemption, scope);
  }

  async #preempt(pod: Pod, { node, victims }: Preemption, { client, clock }: ReconcileScope): Promise<void> {
    const { name: nodeName = '' } = node.metadata;
    const message = `${NAME}: preempting to accommodate a higher priority pod`;
    for (const victim of victims) {
      if (victim.metadata.deletionTimestamp) continue;
      try {
        await addDisruptionTarget(client, victim, { reason: 'PreemptionByScheduler', message, nowMs: clock.now() });
        await client.delete(Pod, victim);
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
      const victimMessage = `Preempted by pod ${pod.metadata.uid} on node ${nodeName}`;
      this.#record(Pod, victim, { type: 'Normal', reason: 'Preempted', message: victimMessage });
    }
    for (const lowerPriorityPods of this.#view.nominatedBelow(priorityOf(pod), nodeName)) {
      this.#view.forget(lowerPriorityPods.metadata.uid ?? '');
      const { namespace, name = '' } = lowerPriorityPods.metadata;
      const body = { status: { nominatedNodeName: null } };
      await client
        .patch(Pod, { namespace, name }, { type: 'merge', body }, { subresource: 'status' })
        .catch(ignoring(isNotFound));
    }
  }
}

function isSchedulable({ metadata, spec, status }: Pod): boolean {
  const isOurs = (spec?.schedulerName ?? NAME) === NAME && !spec?.schedulingGates?.length;
  return isOurs && !spec?.nodeName && !metadata.deletionTimestamp && !isTerminal({ metadata, status } as Pod);
}

/** Ignores the scheduler's own status updates. */
function isSpecChanged(change: Change<Pod>): boolean {
  if (change.type !== 'updated') return true;
  const { object, previous } = change;
  return (
    !deepEqual(object.spec ?? {}, previous.spec ?? {}) || !deepEqual(object.metadata.labels, previous.metadata.labels)
  );
}

/** Returns why the pod may not preempt; `undefined` when it may. */
function preemptionObstacle(pod: Pod, candidates: readonly Candidate[]): string | undefined {
  if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = candidates.find(({ node }) => node.metadata.name === pod.status?.nominatedNodeName);
  for (const other of nominated?.info.pods() ?? [])
    if (other.metadata.deletionTimestamp && priorityOf(other) < priorityOf(pod))
      return 'not eligible due to a terminating pod on the nominated node.';
  return undefined;
}

function noVictimsReasons(total: number, preemptible: number): Map<string, number> {
  return new Map(
    (
      [
        ['No preemption victims found for incoming pod', preemptible],
        ['Preemption is not helpful for scheduling', total - preemptible],
      ] as const
    ).filter(([, count]) => count > 0),
  );
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

async function recordUnschedulable(
  { client, clock }: ReconcileScope,
  pod: Pod,
  message: string,
  nominatedNodeName: string | undefined,
): Promise<void> {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const isRecorded = before?.status === 'False' && before.message === message;
  if (isRecorded && pod.status?.nominatedNodeName === nominatedNodeName) return;
  const { namespace, name = '' } = pod.metadata;
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : formatTime(clock.now()),
  };
  const body = { status: { conditions: [condition], nominatedNodeName: nominatedNodeName ?? null } };
  await client
    .patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' })
    .catch(ignoring(isNotFound));
}

function countReasons(reasons: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

/** Formats `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
function describe(total: number, reasons: ReadonlyMap<string, number>): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available: ${parts.join(', ')}.`;
}
