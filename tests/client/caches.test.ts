import { CachedClient, Client, Informer, SharedInformers, type Transport } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { closeSteppedClusters, openSteppedCluster, type SteppedCluster } from '../helpers/cluster.ts';

closeSteppedClusters();

function world({ client, clock, namespace, labels }: SteppedCluster) {
  const stop = new AbortController();
  const select = { namespace, labelSelector: `test=${labels.test}` };
  const running: Promise<void>[] = [];
  const follow = (options: Partial<ConstructorParameters<typeof Informer<ConfigMap>>[0]> = {}) => {
    const informer = new Informer({ client, clock, type: ConfigMap, select, ...options });
    running.push(informer.run(stop));
    return informer;
  };
  const make = (name: string, value: string) =>
    client.create(ConfigMap, { metadata: { namespace, name, labels }, data: { value } });
  const dispose = async (): Promise<void> => {
    stop.abort();
    await Promise.all(running);
  };
  return { follow, make, select, [Symbol.asyncDispose]: dispose };
}

test('a projection is all that is kept, and memory is told by kind', async () => {
  await using cluster = await openSteppedCluster();
  await using here = world(cluster);
  await here.make('a', 'x'.repeat(10_000));
  const slim = here.follow({ transform: ({ data: _, ...rest }) => rest });
  const whole = here.follow();
  await cluster.eventually(() => slim.isSynced && whole.isSynced);
  expect(slim.cache.list()[0]).not.toHaveProperty('data');
  expect(slim.memory().bytes).toBeLessThan(2_000);
  expect(whole.memory()).toMatchObject({ objects: 1, unread: 1 });
  expect(whole.memory().bytes).toBeGreaterThan(10_000);
  expect(whole.cache.list()[0]?.data?.value).toHaveLength(10_000);
  expect(whole.memory().unread).toBe(0);
});

test('whoever writes to a cached object is found out', async () => {
  await using cluster = await openSteppedCluster();
  await using here = world(cluster);
  await here.make('a', '1');
  const informer = here.follow({ isFrozen: true });
  await cluster.eventually(() => informer.isSynced);
  const [object] = informer.cache.list();
  expect(() => Object.assign(object!.data!, { value: '2' })).toThrow(TypeError);
});

test('a resync tells of every object again, as it is', async () => {
  await using cluster = await openSteppedCluster();
  await using here = world(cluster);
  await here.make('a', '1');
  const informer = here.follow({ resyncMs: 10_000 });
  const told: string[] = [];
  informer.subscribe({
    updated: (object, previous) => void told.push(`${object.metadata.name} ${object === previous}`),
  });
  await cluster.eventually(() => informer.isSynced);
  await cluster.pass(12_000);
  expect(told).toEqual(['a true']);
});

test('what went unseen is told with its last known state, and who comes late is told of what is there', async () => {
  await using cluster = await openSteppedCluster();
  await using here = world(cluster);
  const { client, clock, namespace } = cluster;
  await here.make('a', '1');
  await here.make('b', '1');
  // A watch that is refused each time leaves only lists.
  let isBlind = false;
  const blind = {
    send: async (request: Parameters<typeof cluster.transport.send>[0]) => {
      if (isBlind && request.query?.includes('watch=true')) {
        isBlind = false;
        const status = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 };
        return { status: 410, headers: {}, body: Buffer.from(JSON.stringify(status)) };
      }
      return await cluster.transport.send(request);
    },
  };
  const gone: string[] = [];
  const informer = here.follow({ client: new Client({ transport: blind, clock }) });
  informer.subscribe({
    deleted: (object, { isStateKnown }) =>
      void gone.push(`${object.metadata.name} ${object.data?.value} ${isStateKnown}`),
  });
  await cluster.eventually(() => informer.isSynced);
  isBlind = true;
  // Silence ends the watch; the next one finds its history gone.
  await cluster.clock.advance(24_000);
  await client.delete(ConfigMap, { namespace, name: 'a' });
  await cluster.eventually(() => gone.length === 1);
  expect(gone[0]).toMatch(/^a 1 /);
  const late: string[] = [];
  informer.subscribe({ added: (object, { isInitial }) => void late.push(`${object.metadata.name} ${isInitial}`) });
  expect(late).toEqual(['b true']);
});

test('one who writes through a shared cache reads it back at once', async () => {
  await using cluster = await openSteppedCluster();
  const { client, clock, namespace, labels } = cluster;
  const informers = new SharedInformers({ client, clock });
  const stop = new AbortController();
  const running = informers.run({ signal: stop.signal });
  using share = informers.share(ConfigMap, { namespace });
  await cluster.eventually(() => share.informer.isSynced);
  const cached = new CachedClient(client, informers);
  const ref = { namespace, name: `${labels.test}-mine` };
  const made = await cached.create(ConfigMap, { metadata: { ...ref, labels }, data: { value: '1' } });
  expect((await cached.get(ConfigMap, ref)).data).toEqual({ value: '1' });
  await cached.patch(ConfigMap, ref, { type: 'merge', body: { data: { value: '2' } } });
  expect((await cached.list(ConfigMap, { namespace, labelSelector: `test=${labels.test}` }))[0]?.data).toEqual({
    value: '2',
  });
  expect(await cached.delete(ConfigMap, made)).toBe(true);
  expect(await cached.find(ConfigMap, ref)).toBeUndefined();
  stop.abort();
  await running;
});

/** Everything passes but what watches would tell, once it is told to. */
function deafTransport(transport: Transport): Transport & { isDeaf: boolean } {
  const deaf: Transport & { isDeaf: boolean } = {
    isDeaf: false,
    send: async (request) => {
      const response = await transport.send(request);
      if (!request.query?.includes('watch=true') || response.body instanceof Uint8Array) return response;
      return { ...response, body: heard(response.body, request.signal!) };
    },
  };
  async function* heard(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      if (deaf.isDeaf) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      yield chunk;
    }
  }
  return deaf;
}

test.each(['heard of', 'not yet heard of'])(
  'an object %s that its writer deletes, or lets go, is gone for it at once',
  async (how) => {
    await using cluster = await openSteppedCluster();
    const { client, clock, namespace, labels } = cluster;
    const transport = deafTransport(cluster.transport);
    const informers = new SharedInformers({ client: new Client({ transport, clock }), clock });
    const stop = new AbortController();
    const running = informers.run({ signal: stop.signal });
    using share = informers.share(ConfigMap, { namespace });
    await cluster.eventually(() => share.informer.isSynced);
    transport.isDeaf = how === 'not yet heard of';
    const cached = new CachedClient(client, informers);
    const ref = { namespace, name: `${labels.test}-held` };
    const make = (finalizers: string[]) => cached.create(ConfigMap, { metadata: { ...ref, labels, finalizers } });
    const made = await make(['test.pintle.dev/held']);
    if (how === 'heard of') await cluster.eventually(() => share.informer.cache.get(ref));
    transport.isDeaf = true;
    await cached.delete(ConfigMap, made);
    expect((await cached.get(ConfigMap, ref)).metadata.deletionTimestamp).toBeDefined();
    await cached.patch(ConfigMap, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await cached.find(ConfigMap, ref)).toBeUndefined();
    const again = await make([]);
    expect((await cached.get(ConfigMap, ref)).metadata.uid).toBe(again.metadata.uid);
    await cached.delete(ConfigMap, again);
    expect(await cached.find(ConfigMap, ref)).toBeUndefined();
    stop.abort();
    await running;
  },
);
