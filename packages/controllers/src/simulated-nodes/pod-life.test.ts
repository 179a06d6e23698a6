import type { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { behaviourOf } from './pod-behaviour.ts';
import { nextStep } from './pod-life.ts';

/** What becomes of a pod on a simulated node: `0s Running ready`, and so on, until nothing happens for an hour. */
function lifeOf(
  annotations: Record<string, string>,
  restartPolicy: 'Always' | 'OnFailure' | 'Never',
  steps = 10,
): string[] {
  const told = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`pintle.dev/${name}`, value]));
  const metadata = { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', annotations: told };
  let pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy, containers: [{ name: 'app' }] } };
  const life: string[] = [];
  const bornMs = Date.UTC(2026, 0, 1);
  for (let [nowMs, step] = [bornMs, 0]; step < steps; step++) {
    const { status, afterMs } = nextStep(pod, behaviourOf(pod), nowMs);
    if (status !== undefined) {
      pod = { ...pod, status };
      const [container] = status.containerStatuses ?? [];
      const { state, restartCount, ready } = container!;
      const how =
        state?.waiting?.reason ??
        (state?.terminated ? `exit ${state.terminated.exitCode}` : ready ? 'ready' : 'unready');
      life.push(`${(nowMs - bornMs) / 1_000}s ${status.phase} ${how}${restartCount ? ` ×${restartCount}` : ''}`);
    }
    if (afterMs === undefined) break;
    nowMs += afterMs;
  }
  return life;
}

test('a pod that says nothing runs, or has run for a second', () => {
  expect(lifeOf({}, 'Always')).toEqual(['0s Running ready']);
  expect(lifeOf({}, 'Never')).toEqual(['0s Running ready', '1s Succeeded exit 0']);
});

test('it starts, becomes ready and ends when it is told to', () =>
  expect(lifeOf({ 'start-after': '5s', 'ready-after': '10s', 'run-for': '1m', 'exit-code': '3' }, 'Never')).toEqual([
    '5s Running unready',
    '15s Running ready',
    '65s Failed exit 3',
  ]));

test('one that fails and is restarted waits longer each time but the first', () =>
  expect(lifeOf({ 'exit-code': '1' }, 'Always', 8)).toEqual([
    '0s Running ready',
    '1s Running ready ×1',
    '2s Running CrashLoopBackOff ×1',
    '12s Running ready ×2',
    '13s Running CrashLoopBackOff ×2',
    '33s Running ready ×3',
    '34s Running CrashLoopBackOff ×3',
    '74s Running ready ×4',
  ]));

test('one that fails at first comes to an end that is good', () =>
  expect(lifeOf({ 'exit-code': '1,0' }, 'OnFailure')).toEqual([
    '0s Running ready',
    '1s Running ready ×1',
    '2s Succeeded exit 0 ×1',
  ]));

test('one whose probe fails is killed and restarted', () =>
  expect(lifeOf({ 'unhealthy-after': '30s' }, 'Always', 3)).toEqual([
    '0s Running ready',
    '30s Running ready ×1',
    '60s Running CrashLoopBackOff ×1',
  ]));

test('one whose probe never succeeds is never ready, one without an image never runs', () => {
  expect(lifeOf({ ready: 'false' }, 'Always')).toEqual(['0s Running unready']);
  expect(lifeOf({ 'image-missing': 'true' }, 'Always')).toEqual(['0s Pending ImagePullBackOff']);
});
