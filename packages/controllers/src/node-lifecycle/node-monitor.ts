import type { Runnable } from '@pintle/async';
import { Lease } from '@pintle/kinds/coordination/v1';
import { Node, Pod, type Taint } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { Manager } from '@pintle/operator';
import { isReady, podsOnNode } from '../common/pods.ts';
import { eventRecorder, type RecordEvent } from '../common/record-event.ts';
import { NodeHealth, readyOf } from './node-health.ts';
import { evictionKey, evictionTaints, isEviction } from './taints.ts';
import { evictionsPerSecond, zoneOf, zoneState } from './zones.ts';

export interface NodeMonitorOptions {
  /** Interval of checks. Default: 5 s. */
  readonly periodMs?: number;
  /** Time without a heartbeat before a node counts as unreachable. Default: 50 s. */
  readonly graceMs?: number;
  /** Grace period of a node that has never reported. Default: 60 s. */
  readonly startGraceMs?: number;
}

const LEASES = 'kube-node-lease';

/**
 * Checks all nodes every few seconds. Conditions of a node without heartbeats become Unknown, and its pods become not
 * ready. Nodes that are not ready get NoExecute taints, at a rate per zone. No node is tainted while none anywhere is
 * ready: then the control plane is cut off. Pauses where heartbeats pause.
 */
export class NodeMonitor implements Runnable {
  readonly #manager: Manager;
  readonly #periodMs: number;
  readonly #health: NodeHealth;
  readonly #record: RecordEvent;
  readonly #known = new Map<string, Node>();
  /** Time of the next eviction of each zone. */
  readonly #nextEvictionMs = new Map<string, number>();
  /** Nodes without heartbeats whose pods are still ready. */
  readonly #unreachable = new Set<string>();
  #isFullyDisrupted = false;

  constructor(manager: Manager, options: NodeMonitorOptions = {}) {
    const { periodMs = 5_000, graceMs = 50_000, startGraceMs = 60_000 } = options;
    this.#manager = manager;
    this.#periodMs = periodMs;
    this.#health = new NodeHealth({ heartbeatMs: graceMs, startMs: startGraceMs });
    this.#record = eventRecorder(manager, 'node-controller');
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { informers, heartbeats } = this.#manager;
    const shares = [informers.share(Node), informers.share(Pod), informers.share(Lease, { namespace: LEASES })];
    try {
      while (!signal.aborted) {
        await heartbeats.sleep(this.#periodMs, { signal }).catch(() => undefined);
        if (!signal.aborted && shares.every(({ informer }) => informer.isSynced)) await this.#monitorNodes();
      }
    } finally {
      for (const share of shares) share[Symbol.dispose]();
    }
  }

  async #monitorNodes(): Promise<void> {
    const { client } = this.#manager;
    const nodes = await client.list(Node);
    this.#updateKnownNodes(nodes);
    for (const node of nodes) await this.#logFailure(node, () => this.#checkHeartbeat(node));
    const reported = (await client.list(Node)).filter((node) => readyOf(node) !== undefined);
    await this.#markUnreachablePodsNotReady(reported.filter((other) => !isNodeReady(other)));
    await this.#evictZones(reported);
  }

  /** Skips nodes that report not ready themselves: they report their pods too. */
  async #markUnreachablePodsNotReady(unready: readonly Node[]): Promise<void> {
    for (const node of unready) {
      const { name = '' } = node.metadata;
      if (!this.#unreachable.has(name)) continue;
      await this.#logFailure(node, async () => {
        await this.#markPodsNotReady(node);
        this.#unreachable.delete(name);
      });
    }
  }

  #updateKnownNodes(nodes: readonly Node[]): void {
    const names = new Set(nodes.map(({ metadata }) => metadata.name ?? ''));
    this.#health.retain(names);
    for (const [name, node] of this.#known) {
      if (names.has(name)) continue;
      this.#known.delete(name);
      this.#unreachable.delete(name);
      this.#recordNodeEvent(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
    }
    for (const node of nodes) {
      const { name = '' } = node.metadata;
      if (!this.#known.has(name)) {
        this.#recordNodeEvent(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
        // A former process may have stopped before it marked the pods of an unreachable node not ready.
        if (!isNodeReady(node)) this.#unreachable.add(name);
      }
      this.#known.set(name, node);
    }
  }

  async #checkHeartbeat(node: Node): Promise<void> {
    const { client, clock } = this.#manager;
    const { name = '', resourceVersion } = node.metadata;
    const lease = await client.find(Lease, { namespace: LEASES, name });
    const conditions = this.#health.conditionsOf(node, lease, clock.now());
    const before = node.status?.conditions ?? [];
    if (conditions.every((condition, index) => condition === before[index])) {
      if (isNodeReady(node)) this.#unreachable.delete(name);
      return;
    }
    const body = { metadata: { resourceVersion }, status: { conditions } };
    await client.patch(Node, { name }, { type: 'merge', body }, { subresource: 'status' });
    if (!isNodeReady(node)) return;
    this.#unreachable.add(name);
    this.#recordNodeEvent(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
  }

  /** Marks the pods of an unreachable node not ready, which takes them out of Services. */
  async #markPodsNotReady({ metadata: { name: node = '' } }: Node): Promise<void> {
    const { client, clock } = this.#manager;
    for (const pod of podsOnNode(this.#manager, node).filter(isReady)) {
      const ready = { type: 'Ready', status: 'False', lastTransitionTime: formatTime(clock.now()) };
      const { namespace, name = '', uid } = pod.metadata;
      const body = { metadata: { uid }, status: { conditions: [ready] } };
      await client.patch(Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
      this.#record(Pod, pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
    }
  }

  async #evictZones(nodes: readonly Node[]): Promise<void> {
    const nowMs = this.#manager.clock.now();
    const zones = [...byZone(nodes)].map(([zone, members]) => {
      const ready = members.filter(isNodeReady).length;
      return { zone, members, state: zoneState(ready, members.length - ready) };
    });
    const isFullyDisrupted = zones.length > 0 && zones.every(({ state }) => state === 'FullDisruption');
    if (this.#isFullyDisrupted && !isFullyDisrupted) this.#health.restartGracePeriods(nowMs);
    this.#isFullyDisrupted = isFullyDisrupted;
    for (const { zone, members, state } of zones)
      for (const node of members) {
        const perSecond = isFullyDisrupted ? 0 : evictionsPerSecond(state, members.length);
        await this.#logFailure(node, () => this.#updateEvictionTaint(node, zone, perSecond, nowMs));
      }
  }

  async #updateEvictionTaint(node: Node, zone: string, perSecond: number, nowMs: number): Promise<void> {
    const key = this.#isFullyDisrupted ? undefined : evictionKey(readyOf(node)?.status);
    const taints = evictionTaints(node, key, nowMs);
    if (taints === undefined) return;
    const isNewEviction = key !== undefined && !node.spec?.taints?.some(isEviction);
    if (isNewEviction) {
      if (perSecond === 0 || nowMs < (this.#nextEvictionMs.get(zone) ?? 0)) return;
      this.#nextEvictionMs.set(zone, nowMs + 1_000 / perSecond);
    }
    await this.#writeTaints(node, taints);
  }

  async #writeTaints({ metadata: { name = '', resourceVersion } }: Node, taints: readonly Taint[]): Promise<void> {
    const body = { metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
    await this.#manager.client.patch(Node, { name }, { type: 'merge', body });
  }

  /** Logs an error of one node; the next check tries again. */
  async #logFailure({ metadata: { name } }: Node, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (isConflict(cause) || isNotFound(cause)) return;
      const error = cause instanceof Error ? cause.message : String(cause);
      this.#manager.log.warn('Cannot monitor node', { node: name, error });
    }
  }

  /** Refers to the node by its name, as Kubernetes does, and not to one version of it. */
  #recordNodeEvent({ apiVersion, kind, metadata }: Node, reason: string, message: string): void {
    const { name = '', uid = '' } = metadata;
    this.#record(Node, { apiVersion, kind, metadata: { name, uid } }, { type: 'Normal', reason, message });
  }
}

function isNodeReady(node: Node): boolean {
  return readyOf(node)?.status === 'True';
}

function byZone(nodes: readonly Node[]): Map<string, Node[]> {
  const zones = new Map<string, Node[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    zones.set(zone, [...(zones.get(zone) ?? []), node]);
  }
  return zones;
}
