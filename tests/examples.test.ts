import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, loadConfig, untilDeleted, waitFor } from '@pintle/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ConfigMap, Namespace, Node, Secret } from '@pintle/kinds/core/v1';
import { type KubernetesObject, type ResourceType, resourceType } from '@pintle/machinery';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Pintle, printed, type RunningPintle, startPintle, stopPintle } from './helpers/pintle.ts';

/**
 * The examples as people run them: built, in processes of their own, against `pintle up`, or with
 * USE_EXISTING_CLUSTER=true against the cluster of KUBECONFIG.
 */
const isExisting = process.env.USE_EXISTING_CLUSTER === 'true';
const PATIENCE_MS = 20_000;

let pintle: RunningPintle | undefined;
let client: Client;
let env: NodeJS.ProcessEnv;
/** Where there are none, pods never run, and the operators must say so. */
let hasNodes: boolean;

beforeAll(async () => {
  if (!isExisting) pintle = await startPintle('--memory', '--nodes', '1');
  env = { ...process.env, ...(pintle && { KUBECONFIG: pintle.kubeconfig }) };
  client = await connect(await loadConfig(pintle ? { kubeconfig: pintle.kubeconfig } : {}));
  hasNodes = pintle !== undefined || (await client.list(Node, { limit: 1 })).items.length > 0;
}, 60_000);

afterAll(async () => {
  if (isExisting) await removeTraces();
  await client.close();
  pintle?.client.close();
  if (pintle) await stopPintle(pintle);
});

const Fruit = custom('user.k8sasdb.org', 'Fruit', 'fruits');
const MarkdownView = custom('view.pintle.dev', 'MarkdownView', 'markdownviews');
const Foo = custom('samplecontroller.k8s.io', 'Foo', 'foos', 'v1alpha1');
const SecSynch = custom('sync.pintle.dev', 'SecSynch', 'secsynches');
const inDefault = (name: string) => ({ namespace: 'default', name });

test('fruit', async () => {
  await using _operator = await run('fruit');
  await client.create(Fruit, { metadata: inDefault('apple'), spec: { weight: 120 } });
  await until(ConfigMap, 'apple-label', ({ data }) => data?.weight === '120');
  await until(Fruit, 'apple', ({ status }) => status?.ripe === true);
  await expect(client.create(Fruit, { metadata: inDefault('air'), spec: { weight: 0 } })).rejects.toThrow(
    'should be greater than or equal to 1',
  );
  await client.delete(Fruit, inDefault('apple'));
}, 60_000);

test('markdown-view', async () => {
  const ports = { HEALTH_PORT: '0', METRICS_PORT: '0', WEBHOOK_PORT: '0' };
  await using _operator = await run('markdown-view', ports);
  const markdowns = { 'SUMMARY.md': '# Contents' };
  await client.create(MarkdownView, { metadata: inDefault('book'), spec: { markdowns } });
  await until(ConfigMap, 'markdowns-book', ({ data }) => data?.['SUMMARY.md'] === '# Contents');
  await until(Deployment, 'viewer-book', ({ spec }) => spec?.replicas === 1);
  await until(MarkdownView, 'book', ({ status }) => status?.phase === (hasNodes ? 'Healthy' : 'NotReady'));
  const pages = { metadata: inDefault('pages'), spec: { markdowns: {} } };
  await expect(client.create(MarkdownView, pages)).rejects.toThrow('a book begins with its summary');
  await client.delete(MarkdownView, inDefault('book'));
}, 60_000);

test('sample-controller', async () => {
  await using _operator = await run('sample-controller');
  await client.create(Foo, { metadata: inDefault('foo'), spec: { deploymentName: 'foo-web', replicas: 2 } });
  await until(Deployment, 'foo-web', ({ spec }) => spec?.replicas === 2);
  await until(Foo, 'foo', ({ status }) => status?.availableReplicas === (hasNodes ? 2 : 0));
  await client.delete(Foo, inDefault('foo'));
}, 60_000);

test('secret-sync', async () => {
  await using _operator = await run('secret-sync');
  const source = { metadata: inDefault('shared'), data: { key: 'djE=' } };
  await client.create(Namespace, { metadata: { name: 'secret-sync-test' } });
  await client.create(Secret, source);
  const spec = { source: { name: 'shared' }, namespaces: ['secret-sync-test'] };
  await client.create(SecSynch, { metadata: inDefault('shared'), spec });
  await until(SecSynch, 'shared', ({ status }) => status?.copies === 1);
  const copy = { namespace: 'secret-sync-test', name: 'shared' };
  expect((await client.get(Secret, copy)).data).toEqual(source.data);
  await client.delete(SecSynch, inDefault('shared'));
  await untilDeleted(client, Secret, copy, { timeoutMs: PATIENCE_MS });
  await client.delete(Secret, inDefault('shared'));
  await client.delete(Namespace, { name: 'secret-sync-test' });
}, 60_000);

test.skipIf(isExisting)(
  'aggregated-api',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weather-'));
    await using weather = start('aggregated-api', { PORT: '0', DATA: folder });
    await printed(weather, /Serving weather/);
    const Station = custom('weather.example.com', 'Station', 'stations');
    const Forecast = custom('weather.example.com', 'Forecast', 'forecasts');
    const spec = { altitude: 2962, city: 'Garmisch' };
    await vi.waitFor(() => client.create(Station, { metadata: inDefault('summit'), spec }), { timeout: PATIENCE_MS });
    expect(await client.get(Forecast, inDefault('summit'))).toMatchObject({ celsius: -4.3 });
    await expect(
      client.create(Station, { metadata: inDefault('deep'), spec: { ...spec, city: 'Atlantis' } }),
    ).rejects.toThrow('it has sunk');
  },
  60_000,
);

test('one that is killed leaves its lease, and its successor waits for no more than that', async () => {
  await using first = await run('fruit');
  await using second = start('fruit');
  await printed(second, /"message":"Waiting for the lease/);
  first.process.kill('SIGKILL');
  await client.create(Fruit, { metadata: inDefault('pear'), spec: { weight: 1 } });
  await until(ConfigMap, 'pear-label', ({ data }) => data?.weight === '1');
  await client.delete(Fruit, inDefault('pear'));
}, 60_000);

interface Example extends Pintle, AsyncDisposable {}

/** Runs, and leads, until the test is over; then it must stop in order. */
async function run(name: string, more: NodeJS.ProcessEnv = {}): Promise<Example> {
  const example = start(name, more);
  await printed(example, /"message":"Became the leader"/);
  return example;
}

function start(name: string, more: NodeJS.ProcessEnv = {}): Example {
  const main = join(import.meta.dirname, '..', 'examples', name, 'dist', 'main.js');
  if (!existsSync(main)) throw new Error(`Cannot run ${name}: ${main} is not built. Run npm test, which builds it.`);
  const child = spawn(process.execPath, [main], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    process: child,
    output: () => text,
    exited,
    [Symbol.asyncDispose]: async () => {
      if (!child.killed) {
        child.kill('SIGTERM');
        expect(await exited, text).toBe(0);
      }
      await exited;
      // What it installed goes; what was there before is somebody else's.
      for (const [, definition = ''] of text.matchAll(/"Installed missing resources","resources":\["([^"]+)"\]/g))
        await removeDefinition(definition);
    },
  };
}

/** What operators leave behind for their successors; on a cluster that stays, nobody succeeds them. */
async function removeTraces(): Promise<void> {
  const names = ['fruit-operator', 'markdown-view', 'sample-controller', 'secret-sync'];
  for (const name of names) {
    await client.delete(Lease, inDefault(name)).catch(() => undefined);
    await client.delete(Secret, inDefault(`${name}-webhook-tls`)).catch(() => undefined);
    await client.delete(MutatingWebhookConfiguration, { name }).catch(() => undefined);
    await client.delete(ValidatingWebhookConfiguration, { name }).catch(() => undefined);
  }
}

/** The next to install it must find it gone, not going. */
async function removeDefinition(name: string): Promise<void> {
  await client.delete(CustomResourceDefinition, { name });
  await untilDeleted(client, CustomResourceDefinition, { name }, { timeoutMs: PATIENCE_MS });
}

async function until<T extends KubernetesObject>(
  type: ResourceType<T>,
  name: string,
  isSo: (object: T) => boolean,
): Promise<void> {
  const isThere = (object: T | undefined): boolean => object !== undefined && isSo(object);
  await waitFor(client, type, inDefault(name), isThere, { timeoutMs: PATIENCE_MS });
}

interface Custom extends KubernetesObject {
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

function custom(group: string, kind: string, plural: string, version = 'v1'): ResourceType<Custom> {
  return resourceType<Custom>({ group, version, kind, plural, scope: 'Namespaced' });
}
