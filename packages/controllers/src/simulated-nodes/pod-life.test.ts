import type { Container, ContainerStatus, Pod, PodSpec } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { behaviourOf } from './pod-behaviour.ts';
import { nextStep } from './pod-life.ts';

interface Told {
  readonly spec?: Partial<PodSpec>;
  readonly owner?: 'Job';
  readonly steps?: number;
}

/** Returns what becomes of a pod on a simulated node: `0s Running ready`, and so on, until nothing is due. */
function lifeOf(annotations: Record<string, string>, restartPolicy: RestartPolicy, annotated: Told = {}): string[] {
  const { spec, owner, steps = 10 } = annotated;
  const metadata = {
    name: 'p',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`pintle.dev/${name}`, value])),
    ...(owner && { ownerReferences: [{ apiVersion: 'batch/v1', kind: owner, name: 'o', uid: 'o', controller: true }] }),
  };
  let pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { restartPolicy, containers: [{ name: 'app' }], ...spec },
  };
  const life: string[] = [];
  const bornMs = Date.UTC(2026, 0, 1);
  for (let [nowMs, step] = [bornMs, 0]; step < steps; step++) {
    const { status, afterMs } = nextStep(pod, behaviourOf(pod), nowMs);
    if (status !== undefined) {
      pod = { ...pod, status };
      const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
      life.push(`${(nowMs - bornMs) / 1_000}s ${[status.phase, ...containers.map(shown)].join(' ')}`);
    }
    if (afterMs === undefined) break;
    nowMs += afterMs;
  }
  return life;
}

type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

function shown({ state, restartCount, ready }: ContainerStatus): string {
  const how =
    state?.waiting?.reason ?? (state?.terminated ? `exit ${state.terminated.exitCode}` : ready ? 'ready' : 'unready');
  return restartCount ? `${how} ×${restartCount}` : how;
}

const runs = (name: string, script: string): Container => ({ name, command: ['sh', '-c', script] });

test('a pod that says nothing runs on, whatever its restart policy; one of a Job for a second', () => {
  expect(lifeOf({}, 'Always')).toEqual(['0s Running ready']);
  expect(lifeOf({}, 'Never')).toEqual(['0s Running ready']);
  expect(lifeOf({}, 'Never', { owner: 'Job' })).toEqual(['0s Running ready', '1s Succeeded exit 0']);
  const pause = { containers: [{ name: 'app', image: 'registry.example.com/pause:3.10' }] };
  expect(lifeOf({}, 'OnFailure', { owner: 'Job', spec: pause })).toEqual(['0s Running ready']);
});

test('each container does what its command says', () => {
  const containers = [runs('a', 'sleep 30'), runs('b', 'sleep 5; exit 3')];
  expect(lifeOf({}, 'Never', { spec: { containers } })).toEqual([
    '0s Running ready ready',
    '5s Running ready exit 3',
    '30s Failed exit 0 exit 3',
  ]);
  expect(lifeOf({}, 'OnFailure', { spec: { containers }, steps: 5 })).toEqual([
    '0s Running ready ready',
    '5s Running ready ready ×1',
    '10s Running ready CrashLoopBackOff ×1',
    '20s Running ready ready ×2',
    '25s Running ready CrashLoopBackOff ×2',
  ]);
  expect(lifeOf({}, 'Never', { spec: { containers: [runs('a', 'true')] } })).toEqual(['0s Succeeded exit 0']);
});

test('init containers run one after another before the others, and sidecars beside them', () => {
  const sidecar: Container = { name: 'proxy', restartPolicy: 'Always' };
  const initContainers = [runs('first', 'sleep 2'), sidecar, runs('second', 'true')];
  expect(lifeOf({}, 'Never', { spec: { initContainers, containers: [runs('app', 'sleep 10')] } })).toEqual([
    '0s Pending unready PodInitializing PodInitializing PodInitializing',
    '2s Running exit 0 ready exit 0 ready',
    '12s Succeeded exit 0 exit 0 exit 0 exit 0',
  ]);
  const failing = { initContainers: [runs('first', 'exit 1')] };
  expect(lifeOf({}, 'Never', { spec: failing })).toEqual(['0s Failed exit 1 PodInitializing']);
  expect(lifeOf({}, 'Always', { spec: failing, steps: 2 })).toEqual([
    '0s Pending CrashLoopBackOff ×1 PodInitializing',
    '10s Pending CrashLoopBackOff ×2 PodInitializing',
  ]);
});

test('a pod that is active for longer than its deadline fails', () =>
  expect(lifeOf({}, 'Never', { spec: { activeDeadlineSeconds: 20 } })).toEqual([
    '0s Running ready',
    '20s Failed exit 143',
  ]));

test('a probe whose command fails has the container unready, or killed', () => {
  const probe = { exec: { command: ['false'] }, periodSeconds: 5, failureThreshold: 2 };
  const containers = (probes: object): Container[] => [{ name: 'app', ...probes }];
  expect(lifeOf({}, 'Always', { spec: { containers: containers({ readinessProbe: probe }) } })).toEqual([
    '0s Running unready',
  ]);
  expect(lifeOf({}, 'Always', { spec: { containers: containers({ livenessProbe: probe }) }, steps: 3 })).toEqual([
    '0s Running ready',
    '10s Running ready ×1',
    '20s Running CrashLoopBackOff ×1',
  ]);
});

test('a change of the spec is observed', () => {
  const metadata = { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'app' }] } };
  const { status } = nextStep(pod, {}, Date.UTC(2026, 0, 1));
  expect(status?.observedGeneration).toBe(1);
  expect(nextStep({ ...pod, status: status! }, {}, Date.UTC(2026, 0, 1))).toEqual({});
  const changed = { ...pod, metadata: { ...metadata, generation: 2 }, status: status! };
  const next = nextStep(changed, {}, Date.UTC(2026, 0, 1)).status;
  expect(next?.observedGeneration).toBe(2);
  expect(next?.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 2, 2]);
});

test('it starts, becomes ready and ends when it is told to', () =>
  expect(lifeOf({ 'start-after': '5s', 'ready-after': '10s', 'run-for': '1m', 'exit-code': '3' }, 'Never')).toEqual([
    '5s Running unready',
    '15s Running ready',
    '65s Failed exit 3',
  ]));

test('one that fails and is restarted waits longer each time but the first', () =>
  expect(lifeOf({ 'exit-code': '1' }, 'Always', { steps: 8 })).toEqual([
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
  expect(lifeOf({ 'unhealthy-after': '30s' }, 'Always', { steps: 3 })).toEqual([
    '0s Running ready',
    '30s Running ready ×1',
    '60s Running CrashLoopBackOff ×1',
  ]));

test('one whose probe never succeeds is never ready, one without an image never runs', () => {
  expect(lifeOf({ ready: 'false' }, 'Always')).toEqual(['0s Running unready']);
  expect(lifeOf({ 'image-missing': 'true' }, 'Always')).toEqual(['0s Pending ImagePullBackOff']);
});

test('an image is missing whose tag or registry says so, unless the pod says otherwise', () => {
  const lifeWith = (image: string, annotations = {}) =>
    lifeOf(annotations, 'Always', { spec: { containers: [{ name: 'app', image }] }, steps: 1 });
  for (const image of ['foo:non-existent', 'webserver:404', 'registry.invalid/app', 'invalid.example.com:5000/a/b:1']) {
    expect(lifeWith(image)[0]).toContain('Pull');
  }
  for (const image of ['webserver:1.404', '404', 'example.com/non-existent:1', 'localhost:404/app', 'invalid:1']) {
    expect(lifeWith(image)).toEqual(['0s Running ready']);
  }
  expect(lifeWith('foo:404', { 'image-missing': 'false' })).toEqual(['0s Running ready']);
});
