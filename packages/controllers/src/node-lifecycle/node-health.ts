import type { Lease } from '@pintle/kinds/coordination/v1';
import type { Node, NodeCondition } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';

interface Grace {
  /** Time without a heartbeat after which a node is unhealthy. */
  readonly silentMs: number;
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
  readonly #seen = new Map<string, Seen>();
  readonly #grace: Grace;

  constructor(grace: Grace) {
    this.#grace = grace;
  }

  forgetAllBut(names: ReadonlySet<string>): void {
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
  }

  /** Restarts the grace periods of all nodes, after a full disruption. */
  restart(nowMs: number): void {
    for (const [name, seen] of this.#seen) this.#seen.set(name, { ...seen, aliveAtMs: nowMs });
  }

  /** Returns the conditions that the node should have now: its own, or Unknown ones after the grace period. */
  conditionsOf(node: Node, lease: Lease | undefined, nowMs: number): readonly NodeCondition[] {
    const { name = '', creationTimestamp } = node.metadata;
    const ready = readyOf(node);
    const heard = { ready, renewTime: lease?.spec?.renewTime };
    const before = this.#seen.get(name);
    const isNew = before === undefined;
    const firstMs = ready === undefined ? Date.parse(creationTimestamp ?? '') || nowMs : nowMs;
    const isAlive = !isNew && isSign(before, heard);
    const aliveAtMs = isNew ? firstMs : isAlive ? nowMs : before.aliveAtMs;
    this.#seen.set(name, { ...heard, aliveAtMs });
    const graceMs = ready === undefined ? this.#grace.startMs : this.#grace.silentMs;
    const conditions = node.status?.conditions ?? [];
    return nowMs > aliveAtMs + graceMs ? inDoubt(conditions, creationTimestamp, nowMs) : conditions;
  }
}

interface Seen extends Heard {
  readonly aliveAtMs: number;
}

interface Heard {
  readonly ready: NodeCondition | undefined;
  readonly renewTime: string | undefined;
}

export function readyOf({ status }: Node): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** A condition that this controller set to Unknown keeps its heartbeat, so it is not a new one. */
function isSign(before: Heard, now: Heard): boolean {
  if (now.renewTime !== undefined && now.renewTime !== before.renewTime) return true;
  if (now.ready === undefined) return false;
  if (before.ready === undefined) return now.ready.status !== 'Unknown';
  return !deepEqual(before.ready.lastHeartbeatTime ?? null, now.ready.lastHeartbeatTime ?? null);
}

function inDoubt(
  conditions: readonly NodeCondition[],
  created: string | null | undefined,
  nowMs: number,
): readonly NodeCondition[] {
  const lastTransitionTime = formatTime(nowMs);
  const doubted = conditions.map((condition) =>
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
    ...doubted,
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
