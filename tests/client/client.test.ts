import { inProcess } from '@pintle/apiserver';
import { deferred, SeededRandom, SteppedClock } from '@pintle/async';
import type { WatchEvent } from '@pintle/client';
import { Client, ConfigTransport } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { isConflict, isNotFound, StatusError } from '@pintle/machinery/errors';
import { openMemoryStore } from '@pintle/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isExternal, useSocketCluster } from '../helpers/cluster.ts';

describe('over sockets', () => {
  const cluster = useSocketCluster();
  const over = (options: { protocol?: 'http/1.1' }) => () => ({
    client: new Client({ transport: new ConfigTransport(cluster().config, options) }),
    namespace: cluster().namespace,
  });
  describe('HTTP/2', () => clientTests('h2', over({})));
  describe('HTTP/1.1', () => clientTests('h1', over({ protocol: 'http/1.1' })));
});

if (!isExternal) {
  describe('in process', () => {
    let server: KubeApiServer;
    beforeAll(async () => {
      const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
      const store = await openMemoryStore({ clock });
      const authenticator = { authenticate: () => undefined };
      server = await KubeApiServer.open({ store, clock, random: new SeededRandom(1), authenticator });
    });
    afterAll(() => server.close());
    const admin = { username: 'admin', groups: ['system:masters'] };
    clientTests('here', () => ({
      client: new Client({ transport: { send: inProcess(server, admin) } }),
      namespace: 'default',
    }));
  });
}

/** What a client does, whichever way it reaches the server. Names begin with `prefix`: the server is shared. */
function clientTests(prefix: string, open: () => { readonly client: Client; readonly namespace: string }): void {
  const named = (name: string) => `${prefix}-${name}`;
  let client: Client;
  let namespace: string;
  beforeAll(() => {
    ({ client, namespace } = open());
  });
  const map = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace }, data });
  afterAll(() => client.transport.close?.());

  test('an object is created, read, changed and deleted', async () => {
    const name = named('life');
    const made = await client.create(ConfigMap, map(name, { a: '1' }));
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
    made.data = { a: '2' };
    const changed = await client.update(ConfigMap, made);
    expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    await expect(client.update(ConfigMap, made)).rejects.toSatisfy(isConflict);
    const patched = await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body: { data: { b: '3' } } });
    expect(patched.data).toEqual({ a: '2', b: '3' });
    expect(await client.get(ConfigMap, { namespace, name })).toEqual(patched);
    await client.delete(ConfigMap, { namespace, name }, { preconditions: { uid: made.metadata.uid! } });
    expect(await client.find(ConfigMap, { namespace, name })).toBeUndefined();
    await expect(client.get(ConfigMap, { namespace, name })).rejects.toSatisfy(isNotFound);
  });

  test('apply creates, agrees, and takes back what is no longer said', async () => {
    const name = named('applied');
    const options = { fieldManager: 'test' };
    await client.apply(ConfigMap, map(name, { a: '1', b: '2' }), options);
    const { data } = await client.apply(ConfigMap, map(name, { a: '1' }), options);
    expect(data).toEqual({ a: '1' });
    await expect(client.apply(ConfigMap, map(name, { a: '9' }), { fieldManager: 'other' })).rejects.toMatchObject({
      code: 409,
      causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }],
    });
  });

  test('a list is read page by page', async () => {
    for (let i = 0; i < 7; i++) {
      await client.create(ConfigMap, { metadata: { name: named(`page-${i}`), namespace, labels: { page: prefix } } });
    }
    const seen: string[] = [];
    for await (const { metadata, kind } of client.each(ConfigMap, {
      namespace,
      labelSelector: `page=${prefix}`,
      limit: 3,
    })) {
      seen.push(`${kind} ${metadata.name}`);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => `ConfigMap ${named(`page-${i}`)}`));
    await client.deleteAll(ConfigMap, { namespace, labelSelector: `page=${prefix}` });
    expect((await client.list(ConfigMap, { namespace, labelSelector: `page=${prefix}` })).items).toEqual([]);
  });

  test('a shard is listed and deleted, and the others stay', async () => {
    const labelSelector = `shards=${prefix}`;
    for (let i = 0; i < 16; i++) {
      await client.create(ConfigMap, {
        metadata: { name: named(`shard-${i}`), namespace, labels: { shards: prefix } },
      });
    }
    const half = (from: string, to: string) => `shardRange(object.metadata.uid, '0x${from}', '0x${to}')`;
    const [zero, middle, end] = ['0'.repeat(16), `8${'0'.repeat(15)}`, `1${'0'.repeat(16)}`];
    const namesOf = async (select: object) =>
      (await client.list(ConfigMap, { namespace, labelSelector, ...select })).items.map(
        ({ metadata }) => metadata.name,
      );
    const upper = await namesOf({ shardSelector: half(middle, end) });
    expect(await namesOf({})).toHaveLength(16);
    await client.deleteAll(ConfigMap, { namespace, labelSelector, shardSelector: half(zero, middle) });
    expect(await namesOf({})).toEqual(upper);
    await client.deleteAll(ConfigMap, { namespace, labelSelector });
  });

  test('a watch tells what happens, until it is left', async () => {
    const name = named('watched');
    const { metadata } = await client.list(ConfigMap, { namespace });
    const selected = { namespace, fieldSelector: `metadata.name=${name}` };
    const events: string[] = [];
    const watch = client.watch(ConfigMap, { ...selected, resourceVersion: metadata.resourceVersion! });
    await client.create(ConfigMap, map(name));
    await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body: { data: { a: '1' } } });
    await client.delete(ConfigMap, { namespace, name });
    for await (const event of watch) {
      events.push(summary(event));
      if (event.type === 'DELETED') break;
    }
    expect(events).toEqual(['ADDED {}', 'MODIFIED {"a":"1"}', 'DELETED {"a":"1"}']);
  });

  test('a watch without first events begins with what happens next', async () => {
    const name = named('unseen');
    await client.create(ConfigMap, map(name));
    const opened = deferred();
    const watch = client.watch(ConfigMap, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      sendInitialEvents: false,
      resourceVersionMatch: 'NotOlderThan',
      onOpen: opened.resolve,
    });
    const first = watch.next();
    await opened.promise;
    await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body: { data: { a: '1' } } });
    expect(summary((await first).value!)).toBe('MODIFIED {"a":"1"}');
    await watch.return();
    await client.delete(ConfigMap, { namespace, name });
  });

  test('a watch ends when its signal aborts', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const watch = client.watch(ConfigMap, { namespace, signal: stop.signal, resourceVersion: '0' });
    const { value } = await watch.next();
    expect(value).toBeDefined();
    const ended = expect(drain(watch)).rejects.toBe(reason);
    stop.abort(reason);
    await ended;
  });

  test('what the server refuses says why', async () => {
    const refused = client.create(ConfigMap, { metadata: { name: named('bad'), namespace, labels: { '-': 'x' } } });
    await expect(refused).rejects.toBeInstanceOf(StatusError);
    await expect(refused).rejects.toMatchObject({
      code: 422,
      reason: 'Invalid',
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.labels' }],
    });
  });

  test('many calls at once all come back', async () => {
    const names = Array.from({ length: 120 }, (_, i) => named(`many-${i}`));
    await Promise.all(names.map((name) => client.create(ConfigMap, map(name))));
    const found = await Promise.all(names.map((name) => client.get(ConfigMap, { namespace, name })));
    expect(found.map(({ metadata }) => metadata.name)).toEqual(names);
  });
}

function summary(event: WatchEvent<ConfigMap>): string {
  return event.type === 'BOOKMARK' ? event.type : `${event.type} ${JSON.stringify(event.object.data ?? {})}`;
}

async function drain(sequence: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of sequence);
}
