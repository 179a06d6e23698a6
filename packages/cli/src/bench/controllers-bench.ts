import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, connect, loadConfig } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { CronJob } from '@pintle/kinds/batch/v1';
import { ConfigMap, Node } from '@pintle/kinds/core/v1';
import { startControlPlane, stepped } from '@pintle/testing';

const MAIN = join(import.meta.dirname, '..', 'main.js');
const namespace = 'default';
const POLL_MS = 100;
const MANY = Array.from({ length: 100 }, (_, index) => `web-${index}`);
const QUIET_MS = 15_000;
const DAY_MS = 86_400_000;
/** A clock tick of the kernel's account of processes. */
const TICK_MS = 10;

/**
 * Prints how long `pintle up` with three simulated nodes takes for a large Deployment, for rollouts of a hundred Deployments
 * and for the garbage collection of many objects; the CPU time of each; and the writes of an idle cluster.
 */
export async function bench(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const args = [
    '--max-semi-space-size=32',
    MAIN,
    'up',
    '--memory',
    '--port',
    '0',
    '--nodes',
    '3',
    '--kubeconfig',
    kubeconfig,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout!, 'data');
    await using client = await connect(await loadConfig({ kubeconfig }));
    await until(async () => (await readyNodes(client)) === 3);
    for (const [name, limitMs, work] of WORKLOADS) print(await measured(child, name, limitMs, () => work(client)));
    print(await quietWrites(client));
    print(await cronYear());
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

type Workload = readonly [name: string, limitMs: number, work: (client: Client) => Promise<void>];

const WORKLOADS: readonly Workload[] = [
  ['a deployment of 1,000 replicas, ready', 5_000, (client) => makeAndWait(client, ['large'], 1_000)],
  ['that deployment and its pods, deleted', 0, (client) => deleteAndWait(client, 'large')],
  ['100 deployments × 10 replicas, ready', 0, (client) => makeAndWait(client, MANY, 10)],
  ['100 deployments × 10 replicas, rolled', 10_000, (client) => rollAndWait(client, MANY)],
  ['10,000 owned objects, made', 0, (client) => makeFamily(client, 10_000)],
  ['10,000 owned objects, collected', 10_000, (client) => collectFamily(client)],
];

async function measured(
  child: ChildProcess,
  name: string,
  limitMs: number,
  work: () => Promise<void>,
): Promise<string> {
  const [started, cpuMs] = [performance.now(), await cpuMsOf(child)];
  await work();
  const tookMs = performance.now() - started;
  const usedMs = (await cpuMsOf(child)) - cpuMs;
  const figures = `${seconds(tookMs)}  (${seconds(usedMs)} of the server's main thread)`;
  return `${name.padEnd(40)}${figures}${limitMs > 0 ? `  wanted: ≤ ${seconds(limitMs)}` : ''}`;
}

async function makeAndWait(client: Client, names: readonly string[], replicas: number): Promise<void> {
  const make = async (name: string): Promise<void> => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    await client.create(Deployment, { metadata: { namespace, name }, spec });
  };
  await Promise.all(names.map(make));
  await untilRolledOut(client);
}

async function rollAndWait(client: Client, names: readonly string[]): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } } };
  await Promise.all(names.map((name) => client.patch(Deployment, { namespace, name }, { type: 'strategic', body })));
  await untilRolledOut(client);
}

/** Resolves when all Deployments are rolled out. */
async function untilRolledOut(client: Client): Promise<void> {
  await until(async () =>
    (await client.list(Deployment, { namespace })).items.every(({ metadata, spec, status }) => {
      const wanted = spec?.replicas ?? 1;
      return (
        status?.observedGeneration === metadata.generation &&
        status?.replicas === wanted &&
        status.updatedReplicas === wanted &&
        status.availableReplicas === wanted
      );
    }),
  );
}

async function deleteAndWait(client: Client, name: string): Promise<void> {
  await client.delete(Deployment, { namespace, name }, { propagationPolicy: 'Foreground' });
  await until(async () => (await client.find(Deployment, { namespace, name })) === undefined);
}

async function makeFamily(client: Client, size: number): Promise<void> {
  const { metadata } = await client.create(ConfigMap, { metadata: { namespace, name: 'owner' } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid ?? '' }];
  const labels = { family: 'large' };
  for (let made = 0; made < size; made += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.create(ConfigMap, {
          metadata: { namespace, name: `owned-${made + index}`, labels, ownerReferences },
        }),
      ),
    );
}

async function collectFamily(client: Client): Promise<void> {
  await client.delete(ConfigMap, { namespace, name: 'owner' });
  const options = { namespace, labelSelector: 'family=large', limit: 1 };
  await until(async () => (await client.list(ConfigMap, options)).items.length === 0);
}

/** Returns the writes of an idle cluster. */
async function quietWrites(client: Client): Promise<string> {
  const before = await writesOf(client);
  await sleep(QUIET_MS);
  const after = await writesOf(client);
  const more = [...after].flatMap(([verbAndResource, count]) => {
    const added = count - (before.get(verbAndResource) ?? 0);
    return added > 0 ? [`${added} ${verbAndResource}`] : [];
  });
  return `${`writes in ${seconds(QUIET_MS)} of quiet`.padEnd(40)}${more.join(', ') || 'none'}`;
}

/** Returns the number of writes by verb and resource, from the metrics of the server. */
async function writesOf(client: Client): Promise<Map<string, number>> {
  const { body } = await client.send({ method: 'GET', path: '/metrics' });
  let text = '';
  if (body instanceof Uint8Array) text = Buffer.from(body).toString();
  else for await (const chunk of body) text += Buffer.from(chunk).toString();
  const writes = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue;
    const verb = /verb="([A-Z]+)"/.exec(line)?.[1] ?? '';
    const resource = /resource="([a-z]*)"/.exec(line)?.[1] ?? '';
    if (['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION'].includes(verb))
      writes.set(`${verb} ${resource}`, (writes.get(`${verb} ${resource}`) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return writes;
}

/** Steps a clock from timer to timer for a year, with a run each day. */
async function cronYear(): Promise<string> {
  const clock = stepped({ isQuiet: true, isConcurrent: true });
  await using plane = await startControlPlane({ clock, controllers: ['cronjob-controller', 'job-controller'] });
  const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'app', image: 'app' }] } };
  const jobTemplate = { spec: { completions: 0, template } };
  const ref = { namespace, name: 'daily' };
  await plane.client.create(CronJob, { metadata: ref, spec: { schedule: '@daily', jobTemplate } });
  await plane.eventually(async () => (await plane.client.find(CronJob, ref)) !== undefined);
  const untilMs = plane.clock.now() + 365 * DAY_MS;
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  while (plane.clock.now() < untilMs && (await plane.clock.advanceToNext()));
  const { user, system } = process.cpuUsage(cpu);
  const last = (await plane.client.get(CronJob, ref)).status?.lastScheduleTime;
  const figures = `${seconds(performance.now() - started)}  (${seconds((user + system) / 1_000)} of CPU)`;
  return `${"a cron job's year, a run a day".padEnd(40)}${figures}  wanted: ≤ 10.0 s; last run ${last}`;
}

async function readyNodes(client: Client): Promise<number> {
  const { items } = await client.list(Node);
  return items.filter(({ spec, status }) => {
    const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
    return isReady && !spec?.taints?.length;
  }).length;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(POLL_MS);
}

/** Returns the CPU time of the main thread of a process; 0 on systems without /proc. */
async function cpuMsOf({ pid }: ChildProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' ? 0 : (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
