import type { Pod, Taint, Toleration } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { evictionTimeMs } from './taint-eviction-controller.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();
const taint = (key: string, fields: Partial<Taint> = {}): Taint => ({ key, effect: 'NoExecute', ...fields });

/** In seconds; the pod was there from second 10, and the taint was seen at second 100. */
function check(taints: readonly Taint[], tolerations: Toleration[], leavesAt: number | undefined): void {
  const pod = { metadata: { creationTimestamp: at(10) }, spec: { containers: [], tolerations } } as unknown as Pod;
  const ms = evictionTimeMs(taints, pod, 100_000);
  expect(ms === undefined ? undefined : ms / 1_000).toBe(leavesAt);
}

test('a pod that does not tolerate a taint leaves at once', () => check([taint('a')], [], 0));
test('one that tolerates all stays', () => check([taint('a'), taint('b')], [{ operator: 'Exists' }], undefined));
test('taints that only keep new pods away drive none out', () =>
  check([taint('a', { effect: 'NoSchedule' })], [], undefined));
test('patience counts from when the taint was seen', () =>
  check([taint('a')], [{ key: 'a', operator: 'Exists', tolerationSeconds: 30 }], 130));
test('or from when it says it came, so that a restart does not prolong it', () =>
  check([taint('a', { timeAdded: at(50) })], [{ key: 'a', operator: 'Exists', tolerationSeconds: 30 }], 80));
test('but not from before the pod was there', () =>
  check([taint('a', { timeAdded: at(1) })], [{ key: 'a', operator: 'Exists', tolerationSeconds: 30 }], 40));
test('the least patience counts', () =>
  check(
    [taint('a'), taint('b')],
    [
      { key: 'a', operator: 'Exists', tolerationSeconds: 30 },
      { key: 'b', operator: 'Exists', tolerationSeconds: 5 },
    ],
    105,
  ));
