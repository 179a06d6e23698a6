import { createServer } from 'node:http';
import { request as sendRequest } from 'node:https';
import { inProcess } from '@pintle/apiserver';
import { realClock, SteppedClock, systemRandom } from '@pintle/async';
import { Client } from '@pintle/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { invalid } from '@pintle/machinery/errors';
import { defineResource, installResources, Manager, WebhookServer } from '@pintle/operator';
import { openMemoryStore } from '@pintle/store';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const Shelf = defineResource({
  group: 'shop.test',
  kind: 'Shelf',
  plural: 'shelves',
  versions: {
    v1: { spec: z.object({ width: z.int(), height: z.int(), color: z.string().optional() }) },
    v1beta1: { spec: z.object({ size: z.string() }) },
  },
  storage: 'v1',
  conversions: {
    v1beta1: {
      // What an older version has no field for is kept beside it: what is converted there and back must be the same.
      toHub({ spec, metadata }) {
        const [width = 0, height = 0] = spec.size.split('x').map(Number);
        const { 'shop.test/color': color, ...annotations } = metadata.annotations ?? {};
        return { spec: { width, height, ...(color !== undefined && { color }) }, metadata: { annotations } };
      },
      fromHub: ({ spec: { width, height, color }, metadata }) => ({
        spec: { size: `${width}x${height}` },
        metadata: { annotations: { ...metadata.annotations, ...(color && { 'shop.test/color': color }) } },
      }),
    },
  },
});

const warnings: string[] = [];
const stop = new AbortController();
let client: Client;
let manager: Manager;
let close: () => Promise<void>;

beforeAll(async () => {
  const store = await openMemoryStore({ clock: realClock });
  const authenticator = { authenticate: () => undefined };
  const server = await KubeApiServer.open({ store, clock: realClock, random: systemRandom, authenticator });
  const send = inProcess(server, { username: 'admin', groups: ['system:masters'] });
  client = new Client({ transport: { send }, onWarning: (warning) => warnings.push(warning) });
  await installResources(client, [Shelf]);
  manager = new Manager({ client, name: 'shelves', webhooks: { port: 0, host: '127.0.0.1' } });
  manager.webhooks
    .for(Shelf)
    .default((shelf, { warn }) => {
      if (shelf.spec === undefined || shelf.spec.color !== undefined) return;
      shelf.spec.color = 'white';
      warn('it will be white');
    })
    .validate({
      create: ({ spec }) => (spec.width > 100 ? [invalid('spec.width', spec.width, 'does not fit')] : []),
      update(next, previous) {
        if (next.spec.height < previous.spec.height) throw new Error('shelves only grow');
      },
      delete({ spec }) {
        if (spec.color === 'red') throw new Error('red ones stay');
      },
    });
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['configmaps'] }];
  manager.webhooks.admit('Mutating', { path: '/stamp', name: 'stamp.maps.shop.test', rules }, ({ userInfo }) => ({
    allowed: true,
    patch: [{ op: 'add', path: '/metadata/labels', value: { by: userInfo.username ?? '' } }],
  }));
  const running = manager.run({ signal: stop.signal });
  await Promise.race([manager.webhooks.started, running]);
  close = async () => {
    stop.abort();
    await running;
    await server.close();
    await store.close();
  };
});
afterAll(() => close());

const shelf = (name: string, spec: object) => ({ metadata: { namespace: 'default', name }, spec }) as never;

describe('webhooks of a manager, asked by our server over TLS', () => {
  test('are registered with the authority that vouches for them, which nobody keeps', async () => {
    const mutating = await client.get(MutatingWebhookConfiguration, { name: 'shelves' });
    const validating = await client.get(ValidatingWebhookConfiguration, { name: 'shelves' });
    const definition = await client.get(CustomResourceDefinition, { name: 'shelves.shop.test' });
    const configs = [...mutating.webhooks!, ...validating.webhooks!].map(({ clientConfig }) => clientConfig);
    const bundles = [...configs, definition.spec.conversion!.webhook!.clientConfig!].map(({ caBundle }) => caBundle);
    expect(new Set(bundles)).toEqual(new Set([bundles[0]]));
    expect((await client.list(Secret)).items).toEqual([]);
    expect(configs.map(({ url }) => url!.slice(url!.lastIndexOf('/')))).toEqual([
      '/mutate-shop-test-v1-shelf',
      '/stamp',
      '/validate-shop-test-v1-shelf',
    ]);
  });

  test('fill in, and warn', async () => {
    const { spec } = await client.create(Shelf, shelf('a', { width: 1, height: 2 }));
    expect(spec).toEqual({ width: 1, height: 2, color: 'white' });
    expect(warnings).toContain('it will be white');
  });

  test('leave an object without its spec to the server', async () => {
    const { metadata } = shelf('empty', {}) as { metadata: object };
    await expect(client.create(Shelf, { metadata } as never)).rejects.toMatchObject({
      code: 422,
      causes: [{ field: 'spec', message: expect.stringContaining('Required') }],
    });
  });

  test('refuse', async () => {
    await expect(client.create(Shelf, shelf('wide', { width: 101, height: 2 }))).rejects.toMatchObject({
      code: 422,
      causes: [{ field: 'spec.width', reason: 'FieldValueInvalid' }],
    });
    await client.create(Shelf, shelf('b', { width: 1, height: 5, color: 'red' }));
    const patch = { type: 'merge', body: { spec: { height: 1 } } } as const;
    const ref = { namespace: 'default', name: 'b' };
    await expect(client.patch(Shelf, ref, patch)).rejects.toThrow(/denied the request: shelves only grow/);
    await expect(client.delete(Shelf, ref)).rejects.toThrow(/red ones stay/);
  });

  test('convert, there and back, and are asked in the version they know', async () => {
    const old = await client.create(Shelf.versions.v1beta1, shelf('old', { size: '3x4' }));
    expect(old).toMatchObject({ apiVersion: 'shop.test/v1beta1', spec: { size: '3x4' } });
    const ref = { namespace: 'default', name: 'old' };
    expect((await client.get(Shelf, ref)).spec).toEqual({ width: 3, height: 4, color: 'white' });
    expect((await client.list(Shelf.versions.v1beta1)).items.map(({ spec }) => spec.size)).toContain('3x4');
  });

  test('may be about anything', async () => {
    const { metadata } = await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'map' } });
    expect(metadata.labels).toEqual({ by: 'admin' });
  });

  test('are counted', async () => {
    const text = await manager.metrics.metrics();
    expect(text).toMatch(/controller_runtime_webhook_requests_total\{[^}]*webhook="\/stamp"[^}]*\} [1-9]/);
  });

  test('need little more than to say who they are', () => {
    const resources = manager.clusterRole().rules!.flatMap(({ resources = [] }) => resources);
    expect(resources).toEqual(expect.arrayContaining(['secrets', 'validatingwebhookconfigurations']));
  });

  test('survive that definitions are installed again', async () => {
    await installResources(client, [Shelf]);
    const { spec } = await client.get(CustomResourceDefinition, { name: 'shelves.shop.test' });
    expect(spec.conversion!.strategy).toBe('Webhook');
  });
});

describe('the socket takes nothing but', () => {
  async function post(path: string, body: string | Buffer, headers: object = {}, method = 'POST'): Promise<number> {
    const { webhooks = [] } = await client.get(MutatingWebhookConfiguration, { name: 'shelves' });
    return await new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: manager.webhooks.port,
        path,
        method,
        servername: 'localhost',
        ca: Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64'),
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
      };
      const request = sendRequest(options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      request.on('error', reject);
      request.end(body);
    });
  }
  const review = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', userInfo: {} },
  });

  test.each<[string, Parameters<typeof post>, number]>([
    ['reviews', ['/stamp', review], 200],
    ['reviews with a charset', ['/stamp', review, { 'content-type': 'application/json; charset=utf-8' }], 200],
    ['POST', ['/stamp', '', {}, 'GET'], 405],
    ['JSON', ['/stamp', review, { 'content-type': 'application/yaml' }], 415],
    ['JSON that can be read', ['/stamp', '{'], 400],
    ['JSON that is a review', ['/stamp', '{}'], 400],
    ['what is asked at a path it knows', ['/else', review], 404],
    ['7 MiB', ['/stamp', Buffer.alloc(7 * 1024 * 1024 + 1, ' ')], 413],
  ])('%s', async (_what, given, status) => {
    expect(await post(...given)).toBe(status);
  });
});

test('webhooks that an operator no longer has are not asked any more', async () => {
  const webhooks = { port: 0, host: '127.0.0.1', url: 'https://hooks.shop.test' };
  const other = new Manager({ client, name: 'gone', webhooks });
  other.webhooks.for(Shelf).validate({ create: () => [invalid('spec', null, 'never')] });
  await started(other);
  const next = new Manager({ client, name: 'gone', webhooks });
  next.webhooks.for(Shelf);
  await started(next);
  const { webhooks: asked = [] } = await client.get(ValidatingWebhookConfiguration, { name: 'gone' });
  expect(asked).toEqual([]);
});

test('webhooks of a process without an address of its own are forgotten with it', async () => {
  const before = await client.get(CustomResourceDefinition, { name: 'shelves.shop.test' });
  const other = new Manager({ client, name: 'brief', webhooks: { port: 0, host: '127.0.0.1' } });
  other.webhooks.for(Shelf).validate({ create: () => [] });
  await started(other, async () => {
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: 'brief' });
    expect(webhooks[0]!.clientConfig.url).toContain(`https://localhost:${other.webhooks.port}/`);
  });
  expect(await client.find(ValidatingWebhookConfiguration, { name: 'brief' })).toBeUndefined();
  const { spec, metadata } = await client.get(CustomResourceDefinition, { name: 'shelves.shop.test' });
  expect(spec).toEqual(before.spec);
  expect(metadata.managedFields).toEqual(before.metadata.managedFields);
});

test('a Service that takes the place of a process that was killed leaves nothing of it', async () => {
  const place = { type: MutatingWebhookConfiguration, ref: { name: 'later' }, path: ['webhooks'] } as const;
  const killed = new WebhookServer({ name: 'later', client }, { port: 0, host: '127.0.0.1' });
  killed.for(ConfigMap).default(() => undefined, { failurePolicy: 'Ignore' });
  const stopped = new AbortController();
  const running = killed.run({ signal: stopped.signal });
  await killed.started;
  const left = await client.get(place.type, place.ref);
  stopped.abort();
  await running;
  const { resourceVersion: _version, uid: _uid, creationTimestamp: _time, ...metadata } = left.metadata;
  await client.create(place.type, { ...left, metadata: { ...metadata, managedFields: [] } });
  const service = { namespace: 'default', name: 'hooks' };
  const next = new Manager({ client, name: 'later', webhooks: { port: 0, host: '127.0.0.1', service } });
  next.webhooks.for(ConfigMap).default(() => undefined, { failurePolicy: 'Ignore' });
  await started(next);
  const after = await client.get(place.type, place.ref);
  expect(after.metadata.annotations).toBeUndefined();
  const { service: asked, url } = after.webhooks![0]!.clientConfig;
  expect([asked, url]).toEqual([{ ...service, port: 443, path: '/mutate--v1-configmap' }, undefined]);
});

test('an authority that ages is followed by another, which everybody is told of', async () => {
  const clock = new SteppedClock({ startMs: realClock.now() });
  const url = 'https://hooks.shop.test';
  const options = { port: 0, host: '127.0.0.1', url, certificates: { authorityDays: 30, certificateDays: 9 } };
  const server = new WebhookServer({ name: 'aging', client, clock }, options);
  server.for(Shelf).default(() => undefined, { path: '/aging' });
  const stopped = new AbortController();
  const running = server.run({ signal: stopped.signal });
  await server.started;
  const trusted = async () => {
    const { webhooks } = await client.get(MutatingWebhookConfiguration, { name: 'aging' });
    return Buffer.from(webhooks![0]!.clientConfig.caBundle!, 'base64').toString().split('BEGIN').length - 1;
  };
  expect(await trusted()).toBe(1);
  const { data } = await client.get(Secret, { namespace: 'default', name: 'aging-webhook-tls' });
  for (let day = 0; day < 30 && (await trusted()) === 1; day++) {
    await clock.advance(24 * 60 * 60 * 1000);
    // It has looked, and done what it had to, when it sleeps again; keys take real time to make.
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
  }
  expect(await trusted()).toBe(2);
  const next = await client.get(Secret, { namespace: 'default', name: 'aging-webhook-tls' });
  expect(next.data!['tls.crt']).not.toBe(data!['tls.crt']);
  expect(clock.now() - realClock.now()).toBeLessThan(29 * 24 * 60 * 60 * 1000);
  stopped.abort();
  await running;
  await client.delete(MutatingWebhookConfiguration, { name: 'aging' });
});

describe('of several processes without an address of their own', () => {
  const Crate = defineResource({
    group: 'shop.test',
    kind: 'Crate',
    versions: { v1: { spec: z.object({ width: z.int() }) }, v2: { spec: z.object({ breadth: z.int() }) } },
    storage: 'v1',
    conversions: {
      v2: {
        toHub: ({ spec }) => ({ spec: { width: spec.breadth } }),
        fromHub: ({ spec }) => ({ spec: { breadth: spec.width } }),
      },
    },
  });
  const ends: (() => Promise<void>)[] = [];
  beforeAll(() => installResources(client, [Crate]));
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Another replica of one operator. */
  async function startReplica(): Promise<{ readonly url: string; readonly end: () => Promise<void> }> {
    const server = new WebhookServer({ name: 'crates', client }, { port: 0, host: 'localhost' });
    server.for(Crate).validate({ create: () => [] });
    const ended = new AbortController();
    const running = server.run({ signal: ended.signal });
    const end = async () => {
      ended.abort();
      await running;
    };
    ends.push(end);
    await Promise.race([server.started, running]);
    return { url: `https://localhost:${server.port}`, end };
  }
  const ref = { name: 'crates' };
  const registered = async (): Promise<(string | undefined)[]> => {
    const hooks = await client.find(ValidatingWebhookConfiguration, ref);
    const { spec } = await client.get(CustomResourceDefinition, { name: 'crates.shop.test' });
    const configs = [hooks?.webhooks?.[0]?.clientConfig, spec.conversion?.webhook?.clientConfig];
    return configs.map((config) => (config?.url ? new URL(config.url).origin : config?.service?.name));
  };
  const become = (...wanted: (string | undefined)[]) =>
    expect.poll(registered, { timeout: 20_000, interval: 50 }).toEqual(wanted);

  test('the first is asked while it runs, then the next; at the end all is as before the first', async () => {
    const before = await client.get(CustomResourceDefinition, { name: 'crates.shop.test' });
    const [, placeholder] = await registered();
    const first = await startReplica();
    expect(await registered()).toEqual([first.url, first.url]);
    const second = await startReplica();
    expect(await registered()).toEqual([first.url, first.url]);
    await second.end();
    expect(await registered()).toEqual([first.url, first.url]);
    const third = await startReplica();
    await first.end();
    await become(third.url, third.url);
    await third.end();
    expect(await registered()).toEqual([undefined, placeholder]);
    const after = await client.get(CustomResourceDefinition, { name: 'crates.shop.test' });
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.managedFields).toEqual(before.metadata.managedFields);
  });

  test('what somebody takes away, or puts in its place, is there again while the process runs', async () => {
    const { url, end } = await startReplica();
    await client.delete(ValidatingWebhookConfiguration, ref);
    await become(url, url);
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, ref);
    const clientConfig = { service: { namespace: 'default', name: 'deployed', path: '/validate' } };
    const body = { webhooks: webhooks.map((hook) => ({ ...hook, clientConfig })) };
    await client.patch(ValidatingWebhookConfiguration, ref, { type: 'merge', body } as never);
    await become(url, url);
    await end();
    const left = await client.get(ValidatingWebhookConfiguration, ref);
    expect(left.webhooks?.map((hook) => hook.clientConfig.service?.name)).toEqual(['deployed']);
    expect(left.metadata.annotations).toBeUndefined();
    await client.delete(ValidatingWebhookConfiguration, ref);
  });

  test('a process that was killed keeps nobody waiting, even where another program has its port', async () => {
    const { url, end } = await startReplica();
    const left = await client.get(ValidatingWebhookConfiguration, ref);
    await end();
    const { resourceVersion: _version, uid: _uid, creationTimestamp: _time, ...metadata } = left.metadata;
    await client.create(ValidatingWebhookConfiguration, { ...left, metadata: { ...metadata, managedFields: [] } });
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(new URL(url).port), 'localhost', resolve));
    try {
      const next = await startReplica();
      await become(next.url, next.url);
      await next.end();
      expect(await client.find(ValidatingWebhookConfiguration, ref)).toBeUndefined();
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

/** Lets a manager run until its webhooks are there, and ends it. */
async function started(other: Manager, look: () => Promise<void> = async () => undefined): Promise<void> {
  const end = new AbortController();
  const running = other.run({ signal: end.signal });
  await Promise.race([other.webhooks.started, running]);
  await look();
  end.abort();
  await running;
}
