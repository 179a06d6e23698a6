import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '@pintle/kinds/resource/v1';
import { largest, smallest } from '../common/extremes.ts';

/** Pool that a device belongs to. */
export type DevicePool = Pick<DeviceRequestAllocationResult, 'driver' | 'pool'>;

/**
 * Returns when pods that use the claim must be evicted: when the first NoExecute taint of one of its devices was added,
 * plus the toleration's seconds. `undefined` when the claim tolerates all taints for ever.
 */
export function claimEvictionTimeMs(
  { status }: ResourceClaim,
  slicesOf: (pool: DevicePool) => readonly ResourceSlice[],
): number | undefined {
  const times = (status?.allocation?.devices?.results ?? []).flatMap((allocated) =>
    taintsOf(slicesOf(allocated), allocated.device).flatMap(
      (taint) => evictionTimeMs(taint, allocated.tolerations ?? []) ?? [],
    ),
  );
  return smallest(times);
}

/** Ignores slices of older generations of the pool. */
function taintsOf(slices: readonly ResourceSlice[], name: string): DeviceTaint[] {
  const newest = largest(slices.map(({ spec }) => Number(spec.pool.generation))) ?? 0;
  const device = slices
    .filter(({ spec }) => Number(spec.pool.generation) === newest)
    .flatMap(({ spec }) => spec.devices ?? [])
    .find((candidate) => candidate.name === name);
  return device?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
}

function evictionTimeMs(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): number | undefined {
  const sinceMs = Date.parse(taint.timeAdded ?? '') || 0;
  const applying = tolerations.filter((toleration) => tolerates(toleration, taint));
  if (applying.length === 0) return sinceMs;
  if (applying.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return undefined;
  const seconds = Math.min(...applying.map(({ tolerationSeconds = 0 }) => Number(tolerationSeconds)));
  return sinceMs + Math.max(0, seconds) * 1_000;
}

/** A device's toleration applies to eviction only when it names the effect, unlike a pod's. */
function tolerates({ key, operator, value = '', effect }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect !== 'NoExecute' || (key && key !== taint.key)) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
