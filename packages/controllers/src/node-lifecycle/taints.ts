import type { Node, Taint } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** Taint key for each condition and status. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ['Ready False', NOT_READY],
  ['Ready Unknown', UNREACHABLE],
  ['MemoryPressure True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure True', 'node.kubernetes.io/pid-pressure'],
]);
const OWN_KEYS: ReadonlySet<string> = new Set([UNSCHEDULABLE, ...BY_CONDITION.values()]);

/** Returns the node's taints with NoSchedule taints for its conditions; `undefined` when unchanged. */
export function conditionTaints(node: Node, nowMs: number): readonly Taint[] | undefined {
  const { taints = [] } = node.spec ?? {};
  const missing = new Set(keysOf(node));
  const isOwn = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && OWN_KEYS.has(key);
  const kept = taints.filter((taint) => !isOwn(taint) || missing.has(taint.key));
  for (const { key } of kept.filter(isOwn)) missing.delete(key);
  if (missing.size === 0 && kept.length === taints.length) return undefined;
  const timeAdded = formatTime(nowMs);
  return [...kept, ...[...missing].map((key) => ({ key, effect: 'NoSchedule', timeAdded }) satisfies Taint)];
}

/** Returns the node's taints with the NoExecute taint `key`, or without one; `undefined` when unchanged. */
export function evictionTaints(node: Node, key: string | undefined, nowMs: number): readonly Taint[] | undefined {
  const { taints = [] } = node.spec ?? {};
  const kept = taints.filter((taint) => !isEviction(taint) || taint.key === key);
  const isThere = key === undefined || kept.some(isEviction);
  if (!isThere) return [...kept, { key, effect: 'NoExecute', timeAdded: formatTime(nowMs) }];
  return kept.length === taints.length ? undefined : kept;
}

/** Returns the NoExecute taint for the status of the Ready condition, if it needs one. */
export function evictionKey(ready: string | undefined): string | undefined {
  return ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined;
}

/** True for NoExecute taints of nodes that are not ready or unreachable. */
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
