import type { Node, Taint } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** What a condition with this status says of a node. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ['Ready False', NOT_READY],
  ['Ready Unknown', UNREACHABLE],
  ['MemoryPressure True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure True', 'node.kubernetes.io/pid-pressure'],
]);
const OURS: ReadonlySet<string> = new Set([UNSCHEDULABLE, ...BY_CONDITION.values()]);

/** The taints of a node once those that keep new pods away agree with its conditions; nothing when they do already. */
export function conditionTaints(node: Node, nowMs: number): readonly Taint[] | undefined {
  const { taints = [] } = node.spec ?? {};
  const missing = new Set(keysOf(node));
  const isOurs = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && OURS.has(key);
  const kept = taints.filter((taint) => !isOurs(taint) || missing.has(taint.key));
  for (const { key } of kept.filter(isOurs)) missing.delete(key);
  if (missing.size === 0 && kept.length === taints.length) return undefined;
  const timeAdded = formatTime(nowMs);
  return [...kept, ...[...missing].map((key) => ({ key, effect: 'NoSchedule', timeAdded }) satisfies Taint)];
}

/** The taints of a node that drives pods away for the given reason, or for none; nothing when it does already. */
export function evictionTaints(node: Node, key: string | undefined, nowMs: number): readonly Taint[] | undefined {
  const { taints = [] } = node.spec ?? {};
  const kept = taints.filter((taint) => !isEviction(taint) || taint.key === key);
  const isThere = key === undefined || kept.some(isEviction);
  if (!isThere) return [...kept, { key, effect: 'NoExecute', timeAdded: formatTime(nowMs) }];
  return kept.length === taints.length ? undefined : kept;
}

/** Why pods leave a node whose readiness has this status, if they do. */
export function evictionKey(ready: string | undefined): string | undefined {
  return ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined;
}

/** Whether it drives pods away from a node that is not ready or silent. */
export function isEviction({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

function keysOf({ spec, status }: Node): string[] {
  const keys = (status?.conditions ?? []).flatMap(({ type, status: value }) => {
    const key = BY_CONDITION.get(`${type} ${value}`);
    return key === undefined ? [] : [key];
  });
  return spec?.unschedulable ? [...keys, UNSCHEDULABLE] : keys;
}
