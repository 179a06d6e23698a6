import type { Lease } from '@pintle/kinds/coordination/v1';
import type { Node, NodeCondition } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';

interface GracePeriods {
  /** Time without a heartbeat after which a node is unhealthy. */
  readonly heartbeatMs: number;
  /** The same for a node that has never reported. */
  readonly startMs: number;
}

/** Conditions that a kubelet reports, which become Unknown when it stops. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/**
 * Last heartbeat of each node by the local clock: a heartbeat in its conditions, or a renewal of its lease. Times of
 * nodes are compared only with their earlier ones.
 */
export class NodeHealth {
  readonly #healthData = new Map<string, NodeHealthData>();
  readonly #gracePeriods: GracePeriods;

  constructor(gracePeriods: GracePeriods) {
    this.#gracePeriods = gracePeriods;
  }

  retain(names: ReadonlySet<string>): void {
    for (const name of this.#healthData.keys()) if (!names.has(name)) this.#healthData.delete(name);
  }

  /** Restarts the grace periods of all nodes, after a full disruption. */
  restartGracePeriods(nowMs: number): void {
    for (const [name, data] of this.#healthData) this.#healthData.set(name, { ...data, heartbeatAtMs: nowMs });
  }

  /** Returns the conditions that the node should have now: its own, or Unknown ones after the grace period. */
  conditionsOf(node: Node, lease: Lease | undefined, nowMs: number): readonly NodeCondition[] {
    const { name = '', creationTimestamp } = node.metadata;
    const ready = readyOf(node);
    const heartbeat = { ready, renewTime: lease?.spec?.renewTime };
    const before = this.#healthData.get(name);
    const isNew = before === undefined;
    const firstMs = ready === undefined ? Date.parse(creationTimestamp ?? '') || nowMs : nowMs;
    const hasHeartbeat = !isNew && isNewHeartbeat(before, heartbeat);
    const heartbeatAtMs = isNew ? firstMs : hasHeartbeat ? nowMs : before.heartbeatAtMs;
    this.#healthData.set(name, { ...heartbeat, heartbeatAtMs });
    const graceMs = ready === undefined ? this.#gracePeriods.startMs : this.#gracePeriods.heartbeatMs;
    const conditions = node.status?.conditions ?? [];
    return nowMs > heartbeatAtMs + graceMs ? unknownConditions(conditions, creationTimestamp, nowMs) : conditions;
  }
}

interface NodeHealthData extends Heartbeat {
  readonly heartbeatAtMs: number;
}

interface Heartbeat {
  readonly ready: NodeCondition | undefined;
  readonly renewTime: string | undefined;
}

export function readyOf({ status }: Node): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** A condition that this controller set to Unknown keeps its heartbeat, so it is not a new one. */
function isNewHeartbeat(before: Heartbeat, now: Heartbeat): boolean {
  if (now.renewTime !== undefined && now.renewTime !== before.renewTime) return true;
  if (now.ready === undefined) return false;
  if (before.ready === undefined) return now.ready.status !== 'Unknown';
  return !deepEqual(before.ready.lastHeartbeatTime ?? null, now.ready.lastHeartbeatTime ?? null);
}

function unknownConditions(
  conditions: readonly NodeCondition[],
  created: string | null | undefined,
  nowMs: number,
): readonly NodeCondition[] {
  const lastTransitionTime = formatTime(nowMs);
  const unknown = conditions.map((condition) =>
    (REPORTED as readonly string[]).includes(condition.type) && condition.status !== 'Unknown'
      ? {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime,
        }
      : condition,
  );
  const missing = REPORTED.filter((type) => !conditions.some((condition) => condition.type === type));
  return [
    ...unknown,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: created ?? null,
      lastTransitionTime,
    })),
  ];
}
