import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '@pintle/kinds/resource/v1';
import { largest, smallest } from '../common/extremes.ts';

/** Where a device is found. */
export type DevicePool = Pick<DeviceRequestAllocationResult, 'driver' | 'pool'>;

/**
 * When those who use the claim have to leave: when the first NoExecute taint of one of its devices came, or so much later
 * as the claim tolerates it. `undefined`: none of its devices has a taint that it does not tolerate for good.
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

/** Slices of an older generation of the pool no longer count. */
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

/** Unlike a pod's, a device's toleration holds against eviction only where it names the effect. */
function tolerates({ key, operator, value = '', effect }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect !== 'NoExecute' || (key && key !== taint.key)) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
