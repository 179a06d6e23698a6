import type { DeviceTaint, DeviceToleration, ResourceClaim, ResourceSlice } from '@pintle/kinds/resource/v1';
import { expect, test } from 'vitest';
import { claimEvictionTimeMs } from './claim-eviction-time.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();
const since = (second: number, fields: Partial<DeviceTaint> = {}): DeviceTaint => ({
  key: 'broken',
  value: 'fan',
  effect: 'NoExecute',
  timeAdded: at(second),
  ...fields,
});
const slice = (generation: number, taints: DeviceTaint[]): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `s${generation}` },
  spec: {
    driver: 'd.example',
    pool: { name: 'p', generation, resourceSliceCount: 1 },
    devices: [
      { name: 'other', taints: [since(1)] },
      { name: 'mine', taints },
    ],
  },
});
const NO_EXECUTE = { operator: 'Exists', effect: 'NoExecute' } as const;

/** In seconds. */
function check(slices: readonly ResourceSlice[], tolerations: DeviceToleration[], leavesAt: number | undefined): void {
  const results = [{ request: 'r', driver: 'd.example', pool: 'p', device: 'mine', tolerations }];
  const claim = { metadata: {}, status: { allocation: { devices: { results } } } } as unknown as ResourceClaim;
  const ms = claimEvictionTimeMs(claim, ({ driver, pool }) => (`${driver}/${pool}` === 'd.example/p' ? slices : []));
  expect(ms === undefined ? undefined : ms / 1_000).toBe(leavesAt);
}

test('users of a tainted device leave since the taint came', () => check([slice(1, [since(7)])], [], 7));
test('only its own taints count', () => check([slice(1, [])], [], undefined));
test('and only those that drive out', () => check([slice(1, [since(7, { effect: 'NoSchedule' })])], [], undefined));
test('a device nobody offers any more has no taints', () => check([], [], undefined));
test('slices of an older generation are out of date', () => check([slice(1, [since(7)]), slice(2, [])], [], undefined));
test('tolerated for good', () => check([slice(1, [since(7)])], [NO_EXECUTE], undefined));
test('a toleration that names no effect holds against no eviction', () =>
  check([slice(1, [since(7)])], [{ operator: 'Exists' }], 7));
test('another value is not tolerated', () =>
  check([slice(1, [since(7)])], [{ key: 'broken', operator: 'Equal', value: 'disk', effect: 'NoExecute' }], 7));
test('the least patience with a taint counts', () =>
  check(
    [slice(1, [since(7)])],
    [30, 5].map((tolerationSeconds) => ({ ...NO_EXECUTE, tolerationSeconds })),
    12,
  ));
test('unless one tolerates it for good', () =>
  check([slice(1, [since(7)])], [{ ...NO_EXECUTE, tolerationSeconds: 5 }, NO_EXECUTE], undefined));
test('negative patience is none', () => check([slice(1, [since(7)])], [{ ...NO_EXECUTE, tolerationSeconds: -9 }], 7));
test('the first of several taints drives out', () => check([slice(1, [since(9), since(8, { key: 'b' })])], [], 8));
