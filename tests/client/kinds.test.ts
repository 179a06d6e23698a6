import {
  bind,
  Client,
  ConfigTransport,
  createToken,
  EventRecorder,
  evict,
  getScale,
  hasCondition,
  Informer,
  intercept,
  SeriesRecorder,
  setScale,
  untilDeleted,
  waitFor,
} from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Event, Node, Pod, ServiceAccount } from '@pintle/kinds/core/v1';
import { Event as SeriesEvent } from '@pintle/kinds/events/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unique, useSocketCluster } from '../helpers/cluster.ts';

const cluster = useSocketCluster();
let client: Client;
let namespace: string;
beforeAll(async () => {
  client = new Client({ transport: new ConfigTransport(cluster().config) });
  ({ namespace } = cluster());
  await client.create(ServiceAccount, { metadata: { namespace, name: 'tester' } });
});
afterAll(() => client.close());

const containers = [{ name: 'main', image: 'example.org/none' }];
const pod = (name: string) => ({ metadata: { namespace, name }, spec: { serviceAccountName: 'tester', containers } });

describe('subresources', () => {
  test('a deployment is scaled', async () => {
    const ref = { namespace, name: 'scaled' };
    const labels = { app: 'scaled' };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    };
    await client.create(Deployment, { metadata: ref, spec });
    expect((await setScale(client, Deployment, ref, 2, { dryRun: true })).spec?.replicas).toBe(2);
    expect((await getScale(client, Deployment, ref)).spec?.replicas ?? 0).toBe(0);
    await setScale(client, Deployment, ref, 1);
    expect((await getScale(client, Deployment, ref)).spec?.replicas).toBe(1);
    await client.delete(Deployment, ref, { propagationPolicy: 'Background' });
  });

  test('a service account has tokens', async () => {
    const spec = { expirationSeconds: 3_600 };
    const { token, expirationTimestamp } = await createToken(client, { namespace, name: 'tester' }, spec);
    expect(token?.split('.')).toHaveLength(3);
    expect(Date.parse(expirationTimestamp!)).toBeGreaterThan(Date.now());
  });

  test('a pod is bound to a node, and evicted', async () => {
    const node = unique('node');
    const ref = { namespace, name: 'bound' };
    const taints = [{ key: 'pintle.dev/test', effect: 'NoSchedule' as const }];
    await client.create(Node, { metadata: { name: node }, spec: { taints } });
    const made = await client.create(Pod, { ...pod('bound'), spec: { ...pod('bound').spec, schedulerName: 'nobody' } });
    await bind(client, ref, node);
    expect((await client.get(Pod, ref)).spec?.nodeName).toBe(node);
    await evict(client, ref, { gracePeriodSeconds: 0 });
    await untilDeleted(client, Pod, { ...ref, uid: made.metadata.uid! });
    await client.delete(Node, { name: node });
  });

  test('the status is written apart from the rest', async () => {
    const ref = { namespace, name: 'status' };
    const made = await client.create(Pod, {
      ...pod('status'),
      spec: { ...pod('status').spec, schedulerName: 'nobody' },
    });
    const conditions = [{ type: 'example.org/Seen', status: 'True' }];
    const written = await client.update(
      Pod,
      { ...made, status: { ...made.status, conditions } },
      { subresource: 'status' },
    );
    expect(written.status?.conditions).toMatchObject(conditions);
    await client.delete(Pod, ref, { gracePeriodSeconds: 0, preconditions: { uid: made.metadata.uid! } });
  });
});

test('a dry run leaves nothing behind', async () => {
  const made = await client.create(ConfigMap, { metadata: { namespace, name: 'dry' } }, { dryRun: true });
  expect(made.metadata.uid).toBeDefined();
  expect(await client.find(ConfigMap, { namespace, name: 'dry' })).toBeUndefined();
});

test('patches of all kinds change an object', async () => {
  const ref = { namespace, name: 'patched' };
  await client.create(ConfigMap, { metadata: ref, data: { a: '1' } });
  await client.patch(ConfigMap, ref, { type: 'json', operations: [{ op: 'add', path: '/data/b', value: '2' }] });
  await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { c: '3' } } });
  await client.patch(ConfigMap, ref, { type: 'strategic', body: { data: { a: null } } });
  expect((await client.get(ConfigMap, ref)).data).toEqual({ b: '2', c: '3' });
});

test('metadata alone is read, listed and followed', async () => {
  const ref = { namespace, name: 'slim' };
  await client.create(ConfigMap, { metadata: { ...ref, labels: { slim: 'yes' } }, data: { a: 'x'.repeat(1_000) } });
  const slim = client.metadataOnly();
  const found = await slim.get(ConfigMap, ref);
  expect(found.metadata).toMatchObject({ name: 'slim', labels: { slim: 'yes' } });
  expect(found.data).toBeUndefined();
  const { items } = await slim.list(ConfigMap, { namespace, labelSelector: 'slim=yes' });
  expect(items).toMatchObject([{ kind: 'ConfigMap', metadata: { name: 'slim' } }]);
  const stop = new AbortController();
  const informer = new Informer({ client: slim, type: ConfigMap, select: { namespace, labelSelector: 'slim=yes' } });
  const running = informer.run(stop);
  await informer.synced;
  expect(informer.cache.get(ref)?.data).toBeUndefined();
  expect(informer.cache.get(ref)?.metadata.uid).toBe(found.metadata.uid);
  stop.abort();
  await running;
});

interface Big extends KubernetesObject {
  spec?: { big?: number | bigint; more?: object };
}

test('integers beyond 2^53 and fields that nobody knows survive every way', async () => {
  const group = `${unique('big')}.example.org`;
  const Bigs = resourceType<Big>({ group, version: 'v1', kind: 'Big', plural: 'bigs', scope: 'Namespaced' });
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const definition = { name: `bigs.${group}` };
  await client.create(CustomResourceDefinition, {
    metadata: definition,
    spec: {
      group,
      names: { kind: 'Big', plural: 'bigs' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  await waitFor(client, CustomResourceDefinition, definition, hasCondition('Established'));
  const ref = { namespace, name: 'one' };
  const spec = { big: 9007199254740993n, more: { unknown: [1, { deep: 'x' }] } };
  const made = await onceServed(() => client.create(Bigs, { metadata: ref, spec }));
  expect(made.spec).toEqual(spec);
  expect((await client.get(Bigs, ref)).spec).toEqual(spec);
  expect((await client.list(Bigs, { namespace })).items[0]?.spec).toEqual(spec);
  const updated = await client.update(Bigs, { ...made, spec: { ...spec, big: 9223372036854775807n } });
  expect(updated.spec?.big).toBe(9223372036854775807n);
  for await (const event of client.watch(Bigs, { namespace, resourceVersion: made.metadata.resourceVersion! })) {
    if (event.type === 'MODIFIED') expect(event.object.spec?.big).toBe(9223372036854775807n);
    break;
  }
  const stop = new AbortController();
  const informer = new Informer({ client, type: Bigs });
  const running = informer.run(stop);
  await informer.synced;
  expect(informer.cache.get(ref)?.spec).toEqual({ ...spec, big: 9223372036854775807n });
  stop.abort();
  await running;
  await client.delete(CustomResourceDefinition, definition);
});

test('events are told, counted and in series', async () => {
  const about = await client.create(ConfigMap, { metadata: { namespace, name: 'told' } });
  await using recorder = new EventRecorder({ client, component: 'tester' });
  for (let i = 0; i < 3; i++) recorder.record(ConfigMap, about, { type: 'Normal', reason: 'Told', message: 'hello' });
  await recorder.flush();
  const series = new SeriesRecorder({ client, controller: 'example.org/tester', instance: 'tester-0' });
  for (let i = 0; i < 3; i++)
    series.record(ConfigMap, about, { type: 'Normal', reason: 'Sung', action: 'Sing', note: 'la' });
  await series.close();
  const fieldSelector = 'involvedObject.name=told';
  const { items } = await client.list(Event, { namespace, fieldSelector });
  expect(items.find(({ reason }) => reason === 'Told')).toMatchObject({ count: 3, message: 'hello' });
  const sung = (await client.list(SeriesEvent, { namespace })).items.find(({ reason }) => reason === 'Sung');
  expect(sung).toMatchObject({ note: 'la', action: 'Sing', series: { count: 3 } });
});

test('what the server warns of is told', async () => {
  const warnings: string[] = [];
  const transport = intercept(client.transport);
  const warned = new Client({ transport, onWarning: (warning) => warnings.push(warning) });
  const made = { metadata: { namespace, name: 'warned' }, nonsense: 1 } as unknown as ConfigMap;
  await warned.create(ConfigMap, made, { fieldValidation: 'Warn' });
  expect(warnings).toEqual(['unknown field "nonsense"']);
});

/** A server takes a moment to serve what it says is established. */
async function onceServed<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!isNotFound(error) || tries === 200) throw error;
    }
  }
}
