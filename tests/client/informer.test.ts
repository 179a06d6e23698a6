import { SeededRandom } from '@pintle/async';
import type { Interceptor, TransportResponse } from '@pintle/client';
import { Client, ClientError, defineIndex, Informer, intercept, SharedInformers } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { describe, expect, test } from 'vitest';
import { closeSteppedClusters, openSteppedCluster } from '../helpers/cluster.ts';

closeSteppedClusters();

test('an informer knows what is there and hears what happens', async () => {
  await using world = await open();
  const { client, follow, map, namespace } = world;
  await client.create(ConfigMap, map('a', '1'));
  const heard: string[] = [];
  const informer = follow({ heard });
  await informer.synced;
  expect(heard).toEqual(['added a 1 initially']);
  await client.create(ConfigMap, map('b', '1'));
  await client.update(ConfigMap, map('a', '2'));
  await client.delete(ConfigMap, { namespace, name: 'b' });
  await until(world, () => heard.length === 4);
  expect(heard.slice(1)).toEqual(['added b 1', 'updated a 1→2', 'deleted b 1']);
  expect(informer.cache.get({ namespace, name: 'a' })?.data).toEqual({ value: '2' });
  expect(informer.cache.get({ namespace, name: 'a' })?.metadata.managedFields).toBeUndefined();
});

test('indexes and labels find objects, through changes', async () => {
  await using world = await open();
  const { client, follow, map, namespace } = world;
  const informer = follow({});
  const byValue = defineIndex(ConfigMap, ({ data }) => [data?.value ?? '']);
  informer.addIndex(byValue);
  await informer.synced;
  for (const name of ['a', 'b', 'c']) await client.create(ConfigMap, map(name, 'x'));
  await client.update(ConfigMap, map('b', 'y'));
  await until(world, () => informer.cache.get({ namespace, name: 'b' })?.data?.value === 'y');
  const names = (options: object) =>
    informer.cache
      .list(options)
      .map(({ metadata }) => metadata.name)
      .sort();
  expect(names({ index: byValue.is('x') })).toEqual(['a', 'c']);
  expect(names({ labelSelector: 'value=y' })).toEqual(['b']);
  expect(names({ namespace })).toEqual(['a', 'b', 'c']);
  expect(names({ namespace: 'elsewhere' })).toEqual([]);
});

test('who writes reads it back at once', async () => {
  await using world = await open();
  const { client, follow, map, namespace } = world;
  const informer = follow({});
  await informer.synced;
  const made = await client.create(ConfigMap, map('mine', '1'));
  informer.noteWritten(made);
  expect(informer.cache.get({ namespace, name: 'mine' })?.data).toEqual({ value: '1' });
  expect(informer.cache.list({ labelSelector: 'value=1' })).toHaveLength(1);
  await until(world, () => informer.cache.size === 1);
  await client.delete(ConfigMap, { namespace, name: 'mine' });
  informer.noteDeleted(made);
  expect(informer.cache.get({ namespace, name: 'mine' })).toBeUndefined();
  await until(world, () => informer.cache.size === 0);
  informer.noteWritten(made);
  await client.create(ConfigMap, map('other'));
  await until(world, () => informer.cache.size === 1);
  expect(informer.cache.list()).toHaveLength(1);
});

test('a handler that throws keeps nobody from hearing', async () => {
  await using world = await open();
  const { client, follow, map } = world;
  const heard: string[] = [];
  const informer = follow({ heard });
  informer.subscribe({
    added: () => {
      throw new Error('mine');
    },
  });
  await informer.synced;
  await client.create(ConfigMap, map('a'));
  await until(world, () => heard.length === 1);
});

test('informers are shared, and stop with their last share', async () => {
  await using world = await open();
  const { client, clock, requests, namespace } = world;
  const informers = new SharedInformers({ client, clock });
  const stop = new AbortController();
  const running = informers.run({ signal: stop.signal });
  const first = informers.share(ConfigMap, { namespace });
  const second = informers.share(ConfigMap, { namespace });
  expect(second.informer).toBe(first.informer);
  await informers.synced();
  expect(requests.filter((query) => query.includes('watch=true'))).toHaveLength(1);
  first[Symbol.dispose]();
  expect(informers.informers()).toHaveLength(1);
  second[Symbol.dispose]();
  expect(informers.informers()).toEqual([]);
  stop.abort();
  await running;
});

describe('whatever the server and the way to it do, nothing is missed', () => {
  test.each(Array.from({ length: 30 }, (_, seed) => seed))('seed %i', async (seed) => {
    const random = new SeededRandom(seed);
    const hostility = { isOn: true };
    await using world = await open(hostile(random, hostility));
    const { client: hostileClient, calm, follow, map, namespace } = world;
    const heard: string[] = [];
    const informer = follow({ heard, client: hostileClient });
    const live = new Map<string, string>();
    for (let step = 0; step < 60; step++) {
      const name = `m${random.below(6)}`;
      const value = `${step}`;
      if (!live.has(name)) await calm.create(ConfigMap, map(name, value));
      else if (random.below(3) === 0) await calm.delete(ConfigMap, { namespace, name });
      else await calm.update(ConfigMap, map(name, value));
      if (!live.has(name)) live.set(name, value);
      else if ((await calm.find(ConfigMap, { namespace, name })) === undefined) live.delete(name);
      else live.set(name, value);
      await world.clock.advance(random.below(4_000));
    }
    hostility.isOn = false;
    const wanted = [...live].sort().join();
    const known = () =>
      informer.cache
        .list()
        .map(({ metadata, data }) => [metadata.name, data?.value])
        .sort()
        .join();
    await until(world, () => informer.isSynced && known() === wanted);
    expect(replay(heard)).toBe(wanted);
  });
});

describe('a server that falls silent is noticed within 30 seconds:', () => {
  const check = async (isProbed: boolean, stall: (response: TransportResponse, signal: AbortSignal) => unknown) => {
    let isStalled = true;
    await using world = await open(
      async (request, next) => {
        const response = await next(request);
        if (!isStalled || !request.query?.includes('watch=true')) return response;
        isStalled = false;
        return (await stall(response, request.signal!)) as TransportResponse;
      },
      { isProbed },
    );
    const informer = world.follow({});
    await until(world, () => world.requests.length > 0, 1);
    await world.clock.advance(28_000);
    await until(world, () => informer.isSynced, 2_000);
  };
  test('its stream has stalled', () => check(false, (response, signal) => ({ ...response, body: silent(signal) })));
  test('its headers do not come', () => check(false, (_, signal) => silent(signal).next()));
  test('its headers do not come, though pings are answered', () => check(true, (_, signal) => silent(signal).next()));
});

describe('a server is not asked for a stream more than once a second:', () => {
  const check = async (answer: (isWatch: boolean) => TransportResponse | undefined): Promise<void> => {
    await using world = await open(async (request, next) => {
      const isWatch = request.query?.includes('watch=true') ?? false;
      return answer(isWatch) ?? (await next(request));
    });
    world.follow({});
    for (let second = 0; second < 60; second++) {
      await world.clock.advance(1_000);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    const streams = world.requests.filter((request) => request.includes('watch=true'));
    expect(streams.length).toBeGreaterThan(2);
    expect(streams.length).toBeLessThan(62);
    expect(world.requests.length).toBeLessThan(2 * 61);
  };
  const stream = (text: string): TransportResponse => ({ status: 200, headers: {}, body: Buffer.from(text) });
  const metadata = '"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}';
  const bookmark = `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1",${metadata}}}\n`;

  test('it fails all the time', () =>
    check(() => {
      throw new Error('no');
    }));
  test('its history is always gone', () => check(() => refusal(410, 'Expired')));
  test('the history of its watches is always gone', () =>
    check((isWatch) => (isWatch ? refusal(410, 'Expired') : undefined)));
  test('it has too much to do', () => check(() => refusal(429, 'TooManyRequests', { 'retry-after': '1' })));
  test('its streams end at once', () => check((isWatch) => (isWatch ? stream('') : undefined)));
  test('its streams end after a word', () => check((isWatch) => (isWatch ? stream(bookmark) : undefined)));
  test('it talks nonsense', () => check(() => stream('<html>who are you</html>\n')));
});

test('a stream that never ends its line is left before it fills the memory', async () => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      sent += 1024 * 1024;
      yield Buffer.alloc(1024 * 1024, 'x');
    }
  }
  let isEndless = true;
  await using world = await open(async (request, next) => {
    const response = await next(request);
    if (!isEndless) return response;
    isEndless = false;
    return { ...response, body: endless() };
  });
  const informer = world.follow({});
  await until(world, () => informer.isSynced);
  expect(sent).toBeLessThan(20 * 1024 * 1024);
});

describe('an object that turns out to be none is asked for again:', () => {
  const garbling = (state: { isOn: boolean }): Interceptor => {
    return async (request, next) => {
      const response = await next(request);
      return state.isOn ? { ...response, body: garbled(response.body) } : response;
    };
  };

  test('when somebody looks', async () => {
    const state = { isOn: true };
    await using world = await open(garbling(state));
    await world.calm.create(ConfigMap, world.map('a', '1'));
    const informer = world.follow({});
    const ref = { namespace: world.namespace, name: 'a' };
    await until(world, () => informer.isSynced);
    state.isOn = false;
    expect(() => informer.cache.get(ref)).toThrow(ClientError);
    const isWell = (): boolean => {
      try {
        return informer.cache.get(ref)?.data?.value === '1';
      } catch {
        return false;
      }
    };
    await until(world, isWell);
  });

  test('when handlers are to be told, who then hear of it as it is', async () => {
    const state = { isOn: true };
    await using world = await open(garbling(state));
    await world.calm.create(ConfigMap, world.map('a', '1'));
    const heard: string[] = [];
    const informer = world.follow({ heard });
    await until(world, () => informer.isFailing);
    state.isOn = false;
    await until(world, () => informer.isSynced);
    expect(heard).toEqual(['added a 1 initially']);
  });
});

async function* garbled(body: TransportResponse['body']): AsyncGenerator<Uint8Array> {
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    yield Buffer.from(Buffer.from(chunk).toString().replace('"data":{"value":"', '"data":{"value":x'));
  }
}

type World = Awaited<ReturnType<typeof open>>;

async function open(interceptor: Interceptor = (request, next) => next(request), { isProbed = false } = {}) {
  const cluster = await openSteppedCluster();
  const { clock, transport, namespace, labels, client: calm } = cluster;
  const map = (name: string, value = '') => ({
    metadata: { name, namespace, labels: { ...labels, value } },
    data: { value },
  });
  const requests: string[] = [];
  const count: Interceptor = (request, next) => {
    requests.push(`${request.path}?${request.query ?? ''}`);
    return next(request);
  };
  const client = new Client({ transport: intercept({ ...transport, isProbed }, count, interceptor), clock });
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const follow = ({ heard, client: other = client }: { heard?: string[]; client?: Client }) => {
    const informer = new Informer({
      client: other,
      clock,
      random: new SeededRandom(2),
      type: ConfigMap,
      select: { namespace, labelSelector: `test=${labels.test}` },
      isFrozen: true,
    });
    const value = ({ data }: ConfigMap) => data?.value ?? '';
    if (heard !== undefined)
      informer.subscribe({
        added: (object, { isInitial }) =>
          void heard.push(`added ${object.metadata.name} ${value(object)}${isInitial ? ' initially' : ''}`),
        updated: (object, previous) =>
          void heard.push(`updated ${object.metadata.name} ${value(previous)}→${value(object)}`),
        deleted: (object) => void heard.push(`deleted ${object.metadata.name} ${value(object)}`),
      });
    running.push(informer.run({ signal: stop.signal }));
    return informer;
  };
  const dispose = async (): Promise<void> => {
    stop.abort();
    await Promise.all(running);
    await cluster[Symbol.asyncDispose]();
  };
  const { eventually } = cluster;
  return { client, calm, clock, requests, follow, map, namespace, eventually, [Symbol.asyncDispose]: dispose };
}

/** Lets the world go on until something holds. */
async function until({ eventually }: World, holds: () => boolean, stepMs?: number): Promise<void> {
  await eventually(holds, stepMs);
}

function refusal(code: number, reason: string, headers = {}): TransportResponse {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, metadata: {} };
  return {
    status: code,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(status)),
  };
}

/** Fails requests, cuts streams short, anywhere, repeats, reorders and garbles them, and forgets history. */
function hostile(random: SeededRandom, state: { isOn: boolean }): Interceptor {
  return async (request, next) => {
    if (!state.isOn) return await next(request);
    switch (random.below(12)) {
      case 0:
        throw new Error('connection reset');
      case 1:
        return refusal(410, 'Expired');
      case 2:
        return refusal(429, 'TooManyRequests', { 'retry-after': '3' });
      case 3:
        return refusal(503, 'ServiceUnavailable');
      case 4:
        return { status: 200, headers: {}, body: Buffer.from('<html>who are you</html>\n') };
      case 5:
        return { status: 200, headers: {}, body: silent(request.signal!) };
      default: {
        const response = await next(request);
        return { ...response, body: mangled(response.body, random, state) };
      }
    }
  };
}

/** What it reorders it does not also cut: who hears the later alone cannot know that there was an earlier. */
async function* mangled(
  body: TransportResponse['body'],
  random: SeededRandom,
  state: { isOn: boolean },
): AsyncGenerator<Uint8Array> {
  let late: Uint8Array | undefined;
  for await (const next of body instanceof Uint8Array ? [body] : body) {
    const isReordered = late !== undefined;
    const chunk = late === undefined ? next : Buffer.concat([next, late]);
    late = undefined;
    const fate = state.isOn ? random.below(14) : 99;
    if (fate === 3) {
      late = chunk;
      continue;
    }
    if (fate === 4) yield chunk;
    if (fate === 0 && !isReordered) {
      yield chunk.subarray(0, random.below(chunk.length));
      throw new Error('connection reset');
    }
    if (fate === 1 && !isReordered) {
      yield chunk.subarray(0, random.below(chunk.length));
      return;
    }
    if (fate === 2)
      yield Buffer.from(
        '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","status":"Failure","metadata":{}}}\n',
      );
    const cut = random.below(chunk.length + 1);
    yield chunk.subarray(0, cut);
    yield chunk.subarray(cut);
  }
}

async function* silent(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  yield new Uint8Array();
}

/** What somebody who only heard the events would know. */
function replay(heard: readonly string[]): string {
  const known = new Map<string, string>();
  for (const line of heard) {
    const [verb, name = '', value = ''] = line.split(' ');
    if (verb === 'deleted') known.delete(name);
    else known.set(name, value.split('→').pop()!);
  }
  return [...known].sort().join();
}
