import { CronJob, type CronJobSpec, Job } from '@pintle/kinds/batch/v1';
import { Event } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import type { Plane, PlaneOptions } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const ref = { namespace, name: 'tick' };
const CONTROLLERS = ['cronjob-controller', 'job-controller', 'serviceaccount-controller'];
/** Jobs that are done at once, and jobs that never are. */
const QUICK = { completions: 0 };
const ENDLESS = { parallelism: 0, completions: 1 };

test('a job is started when its time has come, and named after it', async () => {
  await using plane = await started({ schedule: '*/10 * * * *', timeZone: 'Asia/Kolkata' }, ENDLESS);
  await plane.clock.advance(599_000);
  expect(await jobsOf(plane)).toHaveLength(0);
  await plane.clock.advance(2_000);
  const [job] = await plane.eventually(async () => nonEmpty(await jobsOf(plane)));
  const minutes = Date.UTC(2026, 0, 1, 0, 10) / 60_000;
  expect(job?.metadata).toMatchObject({
    name: `tick-${minutes}`,
    labels: { made: 'here' },
    annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T05:40:00+05:30' },
  });
  const { status } = await plane.eventually(async () => {
    const cronJob = await plane.client.get(CronJob, ref);
    return cronJob.status?.active && cronJob;
  });
  expect(status).toMatchObject({ lastScheduleTime: '2026-01-01T00:10:00Z', active: [{ name: `tick-${minutes}` }] });
});

test('what ended is noted, and only the newest are kept', async () => {
  await using plane = await started({ schedule: '@hourly', successfulJobsHistoryLimit: 2 }, QUICK);
  await hours(plane, 5);
  const jobs = await plane.eventually(async () => {
    const found = await jobsOf(plane);
    return found.length === 2 && found;
  });
  expect(jobs.map(({ status }) => status?.startTime?.slice(11, 16)).sort()).toEqual(['04:00', '05:00']);
  const { status } = await plane.client.get(CronJob, ref);
  expect(status?.active).toBeUndefined();
  expect(status?.lastSuccessfulTime?.slice(0, 16)).toBe('2026-01-01T05:00');
  expect(await reasons(plane)).toEqual(
    expect.arrayContaining(['SuccessfulCreate', 'SawCompletedJob', 'SuccessfulDelete']),
  );
});

test.each([
  ['Allow', 3, 3],
  ['Forbid', 1, 1],
  ['Replace', 1, 3],
] as const)('with %s, %i of the jobs run at a time', async (concurrencyPolicy, running, lastHour) => {
  await using plane = await started({ schedule: '@hourly', concurrencyPolicy }, ENDLESS);
  await hours(plane, 3);
  const jobs = await jobsOf(plane);
  expect(jobs).toHaveLength(running);
  const { status } = await plane.client.get(CronJob, ref);
  expect(status?.active).toHaveLength(running);
  expect(status?.lastScheduleTime).toBe(`2026-01-01T0${lastHour}:00:00Z`);
});

test('of what was missed while suspended, the newest is made up for', async () => {
  await using plane = await started({ schedule: '@hourly', suspend: true }, QUICK);
  await hours(plane, 5);
  expect(await jobsOf(plane)).toHaveLength(0);
  await change(plane, { suspend: false });
  const [job] = await plane.eventually(async () => nonEmpty(await jobsOf(plane)));
  expect(job?.metadata.name).toBe(`tick-${Date.UTC(2026, 0, 1, 5) / 60_000}`);
});

test('what is later than its deadline is not started', async () => {
  await using plane = await started({ schedule: '@hourly', suspend: true, startingDeadlineSeconds: 60 }, QUICK);
  await hours(plane, 1);
  await plane.clock.advance(600_000);
  await change(plane, { suspend: false });
  await plane.clock.advance(60_000);
  expect(await jobsOf(plane)).toHaveLength(0);
  await plane.clock.advance(3_000_000);
  await plane.eventually(async () => nonEmpty(await jobsOf(plane)));
});

test('a new schedule begins with its next time', async () => {
  await using plane = await started({ schedule: '0 0 1 2 *' }, QUICK);
  await plane.clock.advance(90 * 60_000);
  await change(plane, { schedule: '@hourly' });
  await plane.clock.advance(60_000);
  expect(await jobsOf(plane)).toHaveLength(0);
  await plane.clock.advance(30 * 60_000);
  const jobs = await plane.eventually(async () => nonEmpty(await jobsOf(plane)));
  expect(jobs.map(({ metadata }) => metadata.name)).toEqual([`tick-${Date.UTC(2026, 0, 1, 2) / 60_000}`]);
});

test('an active job is missing when nothing has its name any more', async () => {
  await using plane = await started({ schedule: '@hourly', suspend: true }, ENDLESS);
  const container = { name: 'app', image: 'app:1' };
  const template = { spec: { restartPolicy: 'Never' as const, containers: [container] } };
  await plane.client.create(Job, { metadata: { namespace, name: 'there' }, spec: { ...ENDLESS, template } });
  const active = ['there', 'gone'].map((name) => ({ namespace, name, uid: name }));
  await plane.client.patch(CronJob, ref, { type: 'merge', body: { status: { active } } }, { subresource: 'status' });
  const left = await plane.eventually(async () => {
    const { status } = await plane.client.get(CronJob, ref);
    return (status?.active?.length ?? 0) < 2 && (status ?? {});
  });
  expect(left.active).toEqual([{ namespace, name: 'there', uid: 'there' }]);
});

test('an active job that its status names without a namespace is looked for in that of the cron job', async () => {
  await using plane = await started({ schedule: '@hourly', suspend: true }, ENDLESS);
  const container = { name: 'app', image: 'app:1' };
  const template = { spec: { restartPolicy: 'Never' as const, containers: [container] } };
  await plane.client.create(Job, { metadata: { namespace, name: 'there' }, spec: { ...ENDLESS, template } });
  const active = ['there', 'gone'].map((name) => ({ name, uid: name }));
  await plane.client.patch(CronJob, ref, { type: 'merge', body: { status: { active } } }, { subresource: 'status' });
  const left = await plane.eventually(async () => {
    const { status } = await plane.client.get(CronJob, ref);
    return (status?.active?.length ?? 0) < 2 && (status ?? {});
  });
  expect(left.active).toEqual([{ name: 'there', uid: 'there' }]);
});

test('a schedule that never comes is told of, and tried no more', async () => {
  await using plane = await started({ schedule: '0 0 31 2 *' }, QUICK);
  await plane.eventually(async () => (await reasons(plane)).includes('InvalidSchedule'));
});

test('a year costs one timer for each of its runs', async () => {
  await using plane = await started({ schedule: '@weekly', timeZone: 'Europe/Berlin' }, QUICK, { isQuiet: true });
  let timers = 0;
  while (plane.clock.now() < Date.UTC(2026, 11, 26, 23) && (await plane.clock.advanceToNext())) timers++;
  await turns();
  expect(timers).toBe(52);
  const { status } = await plane.client.get(CronJob, ref);
  expect(status).toEqual({ lastScheduleTime: '2026-12-26T23:00:00Z', lastSuccessfulTime: '2026-12-26T23:00:00Z' });
  expect(await jobsOf(plane)).toHaveLength(3);
});

// Each write of one run is in `survive`; this is about what is between the runs.
test.each([2, 5, 8, 11])(
  'no time has two jobs, or none, when the controller is gone after write %i',
  async (diesAtWrite) => {
    const limits = { successfulJobsHistoryLimit: 1 };
    await using plane = await started({ schedule: '@hourly', ...limits }, QUICK, { isQuiet: true, diesAtWrite });
    const seen = new Set<string>();
    while (plane.clock.now() < Date.UTC(2026, 0, 1, 3) && (await plane.clock.advanceToNext()))
      for (let turn = 0; turn < 5; turn++) {
        await turns();
        for (const { metadata } of await jobsOf(plane)) seen.add(metadata.name ?? '');
      }
    expect([...seen]).toEqual([1, 2, 3].map((hour) => `tick-${Date.UTC(2026, 0, 1, hour) / 60_000}`));
    await plane.eventually(async () => (await jobsOf(plane)).length === 1);
    await plane.eventually(async () => {
      const { status } = await plane.client.get(CronJob, ref);
      return status?.active === undefined && status?.lastSuccessfulTime === '2026-01-01T03:00:00Z';
    });
  },
);

async function started(
  spec: Omit<CronJobSpec, 'jobTemplate'>,
  job: object,
  options: PlaneOptions = {},
): Promise<Plane> {
  const plane = await openPlane(CONTROLLERS, options);
  const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'app', image: 'app' }] } };
  const jobTemplate = { metadata: { labels: { made: 'here' } }, spec: { ...job, template } };
  await plane.client.create(CronJob, { metadata: ref, spec: { ...spec, jobTemplate } });
  await turns();
  return plane;
}

/** Goes from timer to timer, and lets everything happen at each of them. */
async function hours(plane: Plane, count: number): Promise<void> {
  const untilMs = plane.clock.now() + count * 3_600_000 + 1_000;
  while (plane.clock.now() < untilMs && (await plane.clock.advanceToNext())) await turns();
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function jobsOf({ client }: Plane): Promise<Job[]> {
  return (await client.list(Job, { namespace })).items;
}

async function change({ client }: Plane, spec: object): Promise<void> {
  await client.patch(CronJob, ref, { type: 'merge', body: { spec } });
  await turns();
}

async function reasons({ client }: Plane): Promise<string[]> {
  const events = (await client.list(Event, { namespace })).items;
  return events.filter(({ involvedObject }) => involvedObject.kind === 'CronJob').map(({ reason }) => reason ?? '');
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
