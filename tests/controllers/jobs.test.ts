import { Job } from '@pintle/kinds/batch/v1';
import { Event, Pod } from '@pintle/kinds/core/v1';
import type { Stored } from '@pintle/machinery';
import { expect, test } from 'vitest';
import type { Plane, PlaneOptions } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = [
  'job-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'ttl-after-finished-controller',
];
const ref = { namespace, name: 'work' };
const job = (spec: object = {}, pod: object = {}) => ({
  metadata: ref,
  spec: {
    template: { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'app', image: 'app' }], ...pod } },
    ...spec,
  },
});

test('a job ends when enough of its pods have succeeded, and counts each once', async () => {
  await using plane = await started({ completions: 5, parallelism: 2 });
  for (let done = 1; done <= 5; done++) {
    await running(plane, Math.min(2, 6 - done));
    await end(plane, 'Succeeded');
  }
  const { status } = await over(plane, 'Complete');
  expect(status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
  expect(status?.active).toBeUndefined();
  expect((await podsOf(plane)).map(({ metadata }) => metadata.finalizers)).toEqual(Array(5).fill(undefined));
  expect(await reasons(plane)).toEqual(expect.arrayContaining(['SuccessfulCreate', 'Completed']));
});

test('without completions, one success is enough', async () => {
  await using plane = await started({ parallelism: 3 });
  await plane.eventually(async () => (await podsOf(plane)).length === 3);
  const { spec } = await plane.client.get(Job, ref);
  expect(spec?.completions).toBeUndefined();
  await end(plane, 'Succeeded');
  await settled(plane);
  expect(await podsOf(plane)).toHaveLength(3);
  await end(plane, 'Succeeded');
  await end(plane, 'Failed');
  expect((await over(plane, 'Complete')).status).toMatchObject({ succeeded: 2, failed: 1 });
});

test('a job may have more time than a number can say exactly', async () => {
  await using plane = await started({ activeDeadlineSeconds: 2n ** 63n - 1n });
  await running(plane, 1);
  await end(plane, 'Succeeded');
  expect((await over(plane, 'Complete')).status).toMatchObject({ succeeded: 1 });
});

test('a pod that fails is made again, later each time', async () => {
  await using plane = await started({ backoffLimit: 5 });
  const waits: number[] = [];
  for (let failures = 0; failures < 4; failures++) {
    await running(plane, 1);
    await end(plane, 'Failed');
    const failedMs = plane.clock.now();
    await running(plane, 1);
    waits.push(Math.round((plane.clock.now() - failedMs) / 10_000) * 10);
  }
  expect(waits).toEqual([10, 20, 40, 80]);
});

test('a pod that cannot be made is tried again after a second, and twice as long each time', async () => {
  await using plane = await started({}, { serviceAccountName: 'nobody' });
  const { client, clock } = plane;
  const failures = async (): Promise<number> =>
    (await client.list(Event, { namespace })).items
      .filter(({ reason }) => reason === 'FailedCreate')
      .reduce((total, { count = 0 }) => total + count, 0);
  await plane.eventually(async () => (await failures()) > 0);
  await clock.advance(10_000);
  expect(await failures()).toBe(4);
});

test('a job whose pods fail too often fails, and takes the others with it', async () => {
  await using plane = await started({ backoffLimit: 1, parallelism: 3, completions: 3 });
  await running(plane, 3);
  await end(plane, 'Failed');
  await end(plane, 'Failed');
  const { status } = await over(plane, 'Failed');
  expect(status).toMatchObject({ failed: 3, terminating: 0 });
  expect(status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'FailureTarget BackoffLimitExceeded',
    'Failed BackoffLimitExceeded',
  ]);
  expect(await podsOf(plane)).toHaveLength(2);
});

test('containers that are started again count against the limit', async () => {
  await using plane = await started({ backoffLimit: 2 }, { restartPolicy: 'OnFailure' });
  await running(plane, 1);
  const containerStatuses = [{ name: 'app', image: 'app', imageID: '', ready: false, restartCount: 2 }];
  await setStatus(plane, (await podsOf(plane))[0]!, { phase: 'Running', containerStatuses });
  expect(reasonOf(await over(plane, 'Failed'))).toBe('BackoffLimitExceeded');
});

test('a job has no longer than its deadline', async () => {
  await using plane = await started({ activeDeadlineSeconds: 100 });
  await running(plane, 1);
  await plane.clock.advance(98_000);
  expect(await podsOf(plane)).toHaveLength(1);
  const { status } = await over(plane, 'Failed');
  expect(status).toMatchObject({ failed: 1 });
  expect(await podsOf(plane)).toHaveLength(0);
});

test('a suspended job has no pods, and its time does not run', async () => {
  await using plane = await started({ suspend: true, activeDeadlineSeconds: 60 });
  await condition(plane, 'Suspended', 'True');
  expect((await plane.client.get(Job, ref)).status?.startTime).toBeUndefined();
  await plane.clock.advance(100_000);
  await change(plane, { suspend: false });
  await running(plane, 1);
  await condition(plane, 'Suspended', 'False');
  await change(plane, { suspend: true });
  await plane.eventually(async () => (await podsOf(plane)).length === 0);
  await condition(plane, 'Suspended', 'True');
  const { status } = await plane.client.get(Job, ref);
  expect(status?.failed).toBeUndefined();
  expect(await reasons(plane)).toEqual(expect.arrayContaining(['Suspended', 'Resumed', 'SuccessfulDelete']));
});

test('parallelism goes up and down, and nobody fails', async () => {
  await using plane = await started({ completions: 10, parallelism: 2 });
  await running(plane, 2);
  await change(plane, { parallelism: 5 });
  await running(plane, 5);
  await change(plane, { parallelism: 1 });
  await running(plane, 1);
  expect((await plane.eventually(async () => atRest(await plane.client.get(Job, ref)))).status?.failed).toBeUndefined();
});

test('each index is done once', async () => {
  await using plane = await started({ completionMode: 'Indexed', completions: 4, parallelism: 2 });
  await running(plane, 2);
  expect((await podsOf(plane)).map(indexOf).sort()).toEqual(['0', '1']);
  await endIndex(plane, '1', 'Succeeded');
  await plane.eventually(async () => (await podsOf(plane)).some((pod) => indexOf(pod) === '2'));
  await endIndex(plane, '2', 'Succeeded');
  await plane.eventually(async () => (await podsOf(plane)).some((pod) => indexOf(pod) === '3'));
  await endIndex(plane, '0', 'Failed');
  await plane.eventually(async () => (await podsOf(plane)).filter((pod) => indexOf(pod) === '0').length === 2);
  expect((await plane.client.get(Job, ref)).status).toMatchObject({ completedIndexes: '1,2', failed: 1 });
  await endIndex(plane, '0', 'Succeeded');
  await endIndex(plane, '3', 'Succeeded');
  expect((await over(plane, 'Complete')).status).toMatchObject({ completedIndexes: '0-3', succeeded: 4 });
});

test('an index that fails too often fails alone', async () => {
  await using plane = await started({
    completionMode: 'Indexed',
    completions: 3,
    parallelism: 3,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 1,
  });
  await running(plane, 3);
  await endIndex(plane, '0', 'Failed');
  const again = await plane.eventually(async () =>
    (await podsOf(plane)).find((pod) => indexOf(pod) === '0' && pod.status?.phase === 'Pending'),
  );
  expect(again.metadata.annotations).toMatchObject({ 'batch.kubernetes.io/job-index-failure-count': '1' });
  await endIndex(plane, '0', 'Failed');
  await plane.eventually(async () => (await plane.client.get(Job, ref)).status?.failedIndexes === '0');
  await endIndex(plane, '1', 'Succeeded');
  await endIndex(plane, '2', 'Failed');
  await running(plane, 1);
  await endIndex(plane, '2', 'Failed');
  const ended = await over(plane, 'Failed');
  expect(reasonOf(ended)).toBe('MaxFailedIndexesExceeded');
  expect(ended.status).toMatchObject({ failedIndexes: '0,2', completedIndexes: '1', failed: 4, succeeded: 1 });
});

test('a policy decides what a failure means', async () => {
  const rules = [
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
    { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
  ];
  await using plane = await started({ backoffLimit: 0, podFailurePolicy: { rules } });
  await running(plane, 1);
  await end(plane, 'Failed', { conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
  await running(plane, 1);
  expect((await plane.client.get(Job, ref)).status?.failed).toBeUndefined();
  const terminated = { exitCode: 42 };
  const containerStatus = {
    name: 'app',
    image: 'app',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { terminated },
  };
  await end(plane, 'Failed', { containerStatuses: [containerStatus] });
  const ended = await over(plane, 'Failed');
  expect(reasonOf(ended)).toBe('PodFailurePolicy');
  expect(ended.status?.failed).toBe(1);
});

test('a success policy ends a job before all is done', async () => {
  const successPolicy = { rules: [{ succeededIndexes: '1-2', succeededCount: 1 }] };
  await using plane = await started({ completionMode: 'Indexed', completions: 4, parallelism: 4, successPolicy });
  await running(plane, 4);
  await endIndex(plane, '0', 'Succeeded');
  await settled(plane);
  await endIndex(plane, '2', 'Succeeded');
  const ended = await over(plane, 'Complete');
  expect(reasonOf(ended)).toBe('SuccessPolicy');
  expect(ended.status).toMatchObject({ succeeded: 2, completedIndexes: '0,2', terminating: 0 });
  expect(ended.status?.failed).toBeUndefined();
});

test('a pod that is being stopped is replaced at once, or only when it has ended', async () => {
  for (const podReplacementPolicy of ['TerminatingOrFailed', 'Failed']) {
    await using plane = await started({ podReplacementPolicy });
    await running(plane, 1);
    const [pod] = await podsOf(plane);
    await plane.client.patch(Pod, pod!.metadata, {
      type: 'merge',
      body: { metadata: { finalizers: [...(pod!.metadata.finalizers ?? []), 'example.com/slow'] } },
    });
    await plane.client.delete(Pod, { namespace, name: pod!.metadata.name! });
    await plane.clock.advance(30_000);
    await settled(plane);
    const others = (await podsOf(plane)).filter(({ metadata }) => metadata.uid !== pod!.metadata.uid);
    expect(others).toHaveLength(podReplacementPolicy === 'Failed' ? 0 : 1);
    expect((await plane.client.get(Job, ref)).status?.terminating).toBe(1);
  }
});

test('what is over goes when its time to live has passed, and its pods with it', async () => {
  await using plane = await started({ ttlSecondsAfterFinished: 50 });
  await running(plane, 1);
  await end(plane, 'Succeeded');
  await over(plane, 'Complete');
  await plane.clock.advance(45_000);
  expect(await podsOf(plane)).toHaveLength(1);
  await plane.clock.advance(10_000);
  await plane.eventually(async () => (await plane.client.find(Job, ref)) === undefined);
  expect(await podsOf(plane)).toHaveLength(0);
});

test('pods of a job that was deleted can go', async () => {
  await using plane = await started({ parallelism: 2, completions: 2 });
  await running(plane, 2);
  await plane.client.delete(Job, ref, { propagationPolicy: 'Background' });
  await plane.eventually(async () => (await podsOf(plane)).length === 0);
});

test('pods of a job that was left to itself are let go', async () => {
  await using plane = await started({});
  await running(plane, 1);
  await plane.client.delete(Job, ref, { propagationPolicy: 'Orphan' });
  await plane.eventually(async () => {
    const [pod] = await podsOf(plane);
    return pod?.metadata.ownerReferences === undefined && pod?.metadata.finalizers === undefined;
  });
});

test('a job that somebody else manages is left alone', async () => {
  await using plane = await started({ managedBy: 'example.com/other' });
  await plane.clock.advance(60_000);
  expect(await podsOf(plane)).toHaveLength(0);
  expect((await plane.client.get(Job, ref)).status).toEqual({});
});

test('in steady state nothing is written', async () => {
  await using plane = await started({ completions: 3, parallelism: 2 });
  await running(plane, 2);
  await end(plane, 'Succeeded');
  await running(plane, 2);
  await plane.eventually(async () => atRest(await plane.client.get(Job, ref)));
  const versions = async () =>
    [await plane.client.get(Job, ref), ...(await podsOf(plane))].map(({ metadata }) => metadata.resourceVersion);
  const before = await versions();
  await plane.clock.advance(600_000);
  expect(await versions()).toEqual(before);
});

test('a job of more pods than fit into its status is counted to the last', async () => {
  await using plane = await started({ completions: 600, parallelism: 600 });
  await plane.eventually(async () => (await plane.client.get(Job, ref)).status?.active === 600);
  await Promise.all((await podsOf(plane)).map((pod) => setStatus(plane, pod, { phase: 'Succeeded' })));
  expect((await over(plane, 'Complete')).status).toMatchObject({ succeeded: 600 });
});

async function started(spec: object, pod: object = {}, options: PlaneOptions = {}): Promise<Plane> {
  const plane = await openPlane(CONTROLLERS, options);
  await plane.client.create(Job, job(spec, pod) as Parameters<typeof plane.client.create<Job>>[1]);
  return plane;
}

async function podsOf({ client }: Plane): Promise<Stored<Pod, 'Namespaced'>[]> {
  return (await client.list(Pod, { namespace })).items;
}

const isRunning = ({ metadata, status }: Pod): boolean =>
  status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined;
const indexOf = ({ metadata }: Pod): string => metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? '';

async function running(plane: Plane, count: number): Promise<void> {
  await plane.eventually(async () => (await podsOf(plane)).filter(isRunning).length === count);
}

/** Plays the kubelet. */
async function setStatus({ client }: Plane, { metadata }: Pod, status: object): Promise<void> {
  const target = { namespace, name: metadata.name! };
  await client.patch(Pod, target, { type: 'merge', body: { status } }, { subresource: 'status' });
}

async function end(plane: Plane, phase: string, status: object = {}): Promise<void> {
  const pod = (await podsOf(plane)).find(isRunning)!;
  const conditions = [
    { type: 'Ready', status: 'False', lastTransitionTime: new Date(plane.clock.now()).toISOString() },
  ];
  await setStatus(plane, pod, { phase, conditions, ...status });
}

async function endIndex(plane: Plane, index: string, phase: string): Promise<void> {
  const pod = (await podsOf(plane)).find((each) => isRunning(each) && indexOf(each) === index)!;
  await setStatus(plane, pod, { phase });
}

async function change({ client }: Plane, spec: object): Promise<void> {
  await client.patch(Job, ref, { type: 'merge', body: { spec } });
}

async function over(plane: Plane, type: string): Promise<Job> {
  return await condition(plane, type, 'True');
}

async function condition(plane: Plane, type: string, status: string): Promise<Job> {
  return await plane.eventually(async () => {
    const found = await plane.client.get(Job, ref);
    return found.status?.conditions?.some((each) => each.type === type && each.status === status) && found;
  });
}

/** Its status tells all there is. */
function atRest(found: Job): Job | undefined {
  const { active = 0, terminating = 0, uncountedTerminatedPods } = found.status ?? {};
  const isCounted = !uncountedTerminatedPods?.succeeded && !uncountedTerminatedPods?.failed;
  return active === Math.min(found.spec!.parallelism!, found.spec!.completions!) && terminating === 0 && isCounted
    ? found
    : undefined;
}

async function settled(plane: Plane): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  await plane.clock.advance(1_000);
}

const reasonOf = ({ status }: Job): string | undefined => status?.conditions?.at(-1)?.reason;

async function reasons({ client }: Plane): Promise<string[]> {
  const events = (await client.list(Event, { namespace })).items;
  return events.filter(({ involvedObject }) => involvedObject.kind === 'Job').map(({ reason }) => reason ?? '');
}
