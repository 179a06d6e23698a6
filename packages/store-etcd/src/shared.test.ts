import { realClock, systemRandom } from '@pintle/async';
import { type Store, StoreError, type StoreFailure } from '@pintle/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SharedCompaction } from './compaction.ts';
import { openEtcdStore } from './etcd-store.ts';
import { Cluster } from './rpc/cluster.ts';
import { RANGE, TXN } from './rpc/methods.ts';
import { etcdVersions, findEtcd } from './testing/etcd-binary.ts';
import { EtcdProcess } from './testing/etcd-process.ts';
import { TcpProxy } from './testing/tcp-proxy.ts';

const binary = findEtcd(etcdVersions[0]!);

describe.skipIf(binary === undefined)('one etcd for several', () => {
  let etcd: EtcdProcess;
  let cluster: Cluster;
  let prefixes = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start({ binary: binary! });
    cluster = new Cluster({ endpoints: etcd.endpoints, clock: realClock, random: systemRandom });
  });
  afterAll(async () => {
    cluster?.close();
    await etcd?.[Symbol.asyncDispose]();
  });

  const open = (prefix: string, options: Partial<Parameters<typeof openEtcdStore>[0]> = {}) =>
    openEtcdStore({ endpoints: etcd.endpoints, prefix, compactionIntervalMs: 0, ...options });
  const nextPrefix = () => `/p${prefixes++}/`;
  const put = (store: Store, key: string, value: string, ttlMs?: number) =>
    store.commit([{ type: 'put', key, value: Buffer.from(value), ...(ttlMs !== undefined && { ttlMs }) }]);
  const textAt = async (store: Store, key: string) => (await store.get(key))?.value.toString();
  const putRaw = (key: Buffer, value: string) =>
    cluster.write(TXN, TXN.encode({ success: [{ put: { key, value: Buffer.from(value) } }] }), { timeoutMs: 5000 });

  test('what one store has acknowledged, another shows after it asked for the latest revision', async () => {
    const prefix = nextPrefix();
    await using first = await open(prefix);
    await using second = await open(prefix);
    for (let round = 0; round < 200; round++) {
      const [writer, reader] = round % 2 ? [first, second] : [second, first];
      const { revision } = await put(writer, 'a', `${round}`);
      expect(await reader.latest()).toBeGreaterThanOrEqual(revision);
      expect(await textAt(reader, 'a')).toBe(`${round}`);
    }
  });

  test('callers of one turn share one read', async () => {
    await using store = await open(nextPrefix());
    const asked = Array.from({ length: 50 }, () => store.latest());
    expect(new Set(asked).size).toBe(1);
    await Promise.all(asked);
    const later = store.latest();
    expect(later).not.toBe(asked[0]);
    await later;
  });

  test('writes elsewhere are waited for no longer than it takes to hear of them', async () => {
    const prefix = nextPrefix();
    await using store = await open(prefix);
    const { header } = await putRaw(Buffer.from('/elsewhere'), '1');
    const startedMs = realClock.monotonic();
    expect(await store.latest()).toBeGreaterThanOrEqual(header.revision);
    expect(realClock.monotonic() - startedMs).toBeLessThan(1000);
    expect(await store.count({ start: '' })).toBe(0);
  });

  test('keys that are not text are left alone, before and while a store is open', async () => {
    const prefix = nextPrefix();
    const odd = (last: number) => Buffer.concat([Buffer.from(prefix), Buffer.from([0xff, last])]);
    await putRaw(odd(1), 'x');
    await using store = await open(prefix);
    await put(store, 'a', '1');
    await putRaw(odd(2), 'y');
    await store.latest();
    expect((await store.range({ start: '' })).records.map(({ key }) => key)).toEqual(['a']);
    const { count } = await cluster.read(
      RANGE,
      { key: odd(0), rangeEnd: odd(9), countOnly: true },
      { timeoutMs: 5000 },
    );
    expect(count).toBe(2);
  });

  test('a store is loaded in pages, at one revision, while others write', async () => {
    const prefix = nextPrefix();
    await using writer = await open(prefix);
    const names = Array.from({ length: 1300 }, (_, index) => `k${String(index).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 100)
      await writer.commit(names.slice(at, at + 100).map((key) => ({ type: 'put', key, value: Buffer.alloc(9000, 1) })));
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await put(writer, 'k0700', 'new');
    })();
    await using reader = await open(prefix);
    isOver = true;
    await writing;
    await reader.latest();
    expect(await reader.count({ start: '' })).toBe(1300);
    const version = (store: Store) => store.get('k0700');
    expect(await version(reader)).toEqual(await version(writer));
  });

  test('the time since others were heard of is short, and grows while etcd is silent', async () => {
    const way = await TcpProxy.start(etcd.ports[0]!);
    await using store = await open(nextPrefix(), { endpoints: [way.endpoint] });
    way.set({ type: 'black hole' });
    await expect.poll(() => store.staleMs, { timeout: 10_000, interval: 50 }).toBeGreaterThan(2000);
    way.set({ type: 'clear' });
    await expect.poll(() => store.staleMs, { timeout: 20_000, interval: 20 }).toBeLessThan(1000);
    await way[Symbol.asyncDispose]();
  });

  test('an etcd that nobody writes to is heard of, and its watch is not given up', async () => {
    await using idle = await EtcdProcess.start({ binary: binary! });
    const warnings: string[] = [];
    const onWarning = (problem: string) => void warnings.push(problem);
    await using store = await openEtcdStore({ endpoints: idle.endpoints, compactionIntervalMs: 0, onWarning });
    let heard = 0;
    // A watch that is silent for five seconds is given up.
    for (let before = 0, elapsed = 0; elapsed < 7_000; elapsed += 100) {
      await realClock.sleep(100);
      const now = store.staleMs!;
      if (now < before) heard++;
      before = now;
    }
    expect(warnings).toEqual([]);
    expect(heard).toBeGreaterThan(1);
  });

  test('keys with a time to live share a lease', async () => {
    const prefix = nextPrefix();
    await using store = await open(prefix);
    for (let index = 0; index < 20; index++) await put(store, `k${index}`, '', 3_600_000);
    const { kvs } = await cluster.read(
      RANGE,
      { key: Buffer.from(`${prefix}k`), rangeEnd: Buffer.from(`${prefix}l`) },
      { timeoutMs: 5000 },
    );
    expect(new Set(kvs.map(({ lease }) => lease)).size).toBe(1);
    expect(kvs[0]!.lease).not.toBe(0n);
  });

  test('no transaction leaves that etcd would refuse for its size', async () => {
    await using store = await open(nextPrefix());
    const failure = (value: Promise<unknown>) => value.then(() => undefined, failureOf);
    const commit = (bytes: number) => put(store, 'a', 'x'.repeat(bytes));
    expect(await failure(commit(1.5 * 1024 * 1024))).toMatchObject({ code: 'TooLarge', key: 'a' });
    await commit(1.5 * 1024 * 1024 - 400);
    const many = Array.from({ length: 129 }, (_, index) => ({ type: 'delete' as const, key: `k${index}` }));
    expect(await failure(store.commit(many))).toMatchObject({ code: 'TooManyOperations', maxOperations: 128 });
    await store.commit(many.slice(1));
  });

  test('a write whose answer is lost is sent once, and its outcome is unknown', async () => {
    const prefix = nextPrefix();
    const ways = await Promise.all([0, 1].map(() => TcpProxy.start(etcd.ports[0]!)));
    await using store = await open(prefix, { endpoints: ways.map(({ endpoint }) => endpoint) });
    await put(store, 'warm', '1');
    for (const way of ways) way.set({ type: 'deaf' });
    expect(await put(store, 'a', '1').then(() => undefined, failureOf)).toMatchObject({ code: 'Unavailable' });
    for (const way of ways) way.set({ type: 'clear' });
    const isBack = async () => (await Promise.resolve(store.latest()).then(() => undefined, failureOf)) === undefined;
    await expect.poll(isBack, { timeout: 10_000 }).toBe(true);
    const written = await store.get('a');
    expect(written).toMatchObject({ version: 1 });
    for (const way of ways) await way[Symbol.asyncDispose]();
  });

  test('of three who compact, one does in each interval, and all forget what it forgot', async () => {
    const prefix = nextPrefix();
    await using writer = await open(prefix);
    await using other = await open(prefix);
    const keepers = [1, 2, 3].map(() => new SharedCompaction({ cluster, clock: realClock, intervalMs: 1000 }));
    const compacted: number[] = [];
    for (let interval = 0; interval < 4; interval++) {
      await put(writer, 'a', `${interval}`);
      const turns = await Promise.all(keepers.map((keeper) => keeper.takeTurn()));
      const done = turns.filter((revision) => revision !== undefined);
      expect(done.length).toBeLessThanOrEqual(1);
      compacted.push(...done);
    }
    expect(compacted.length).toBeGreaterThanOrEqual(2);
    expect([...compacted].sort((a, b) => a - b)).toEqual(compacted);
    await put(writer, 'a', 'last');
    const deadline = realClock.monotonic() + 2000;
    while (other.compactedRevision < compacted.at(-2)! && realClock.monotonic() < deadline) await realClock.sleep(5);
    expect(other.compactedRevision).toBeGreaterThanOrEqual(compacted.at(-2)!);
    const old = other.watch({ start: '' }, { after: (other.compactedRevision - 1) as typeof other.revision });
    expect(await old.next().then(() => undefined, failureOf)).toMatchObject({ code: 'Compacted' });
  });

  test('a store that finds nobody says so in a few seconds', async () => {
    const opening = openEtcdStore({ endpoints: ['http://127.0.0.1:1'] });
    expect(await opening.then(() => undefined, failureOf)).toMatchObject({ code: 'Unavailable' });
  });

  test('a cluster that lost what a store has seen is not read from, and no write to it is acknowledged', async () => {
    await using lost = await EtcdProcess.start({ binary: binary! });
    await using store = await openEtcdStore({ endpoints: lost.endpoints, compactionIntervalMs: 0 });
    for (let index = 0; index < 20; index++) await put(store, 'a', `${index}`);
    await lost.kill(0);
    lost.wipe(0);
    lost.startMember(0);
    await lost.ready(0);
    const read = await Promise.resolve(store.latest()).then(() => undefined, failureOf);
    const write = await put(store, 'b', '1').then(() => undefined, failureOf);
    expect([read?.code, write?.code]).toEqual(['Unavailable', 'Unavailable']);
    expect(await textAt(store, 'a')).toBe('19');
  });

  test('servers of different clusters are refused', async () => {
    await using another = await EtcdProcess.start({ binary: binary!, flags: ['--initial-cluster-token=another'] });
    const opening = openEtcdStore({ endpoints: [...etcd.endpoints, ...another.endpoints] });
    expect(await opening.then(() => undefined, failureOf)).toMatchObject({
      code: 'Unavailable',
      problem: 'the etcd endpoints belong to different clusters',
    });
  });
});

test.each(['', 'ftp://a:1', 'http://', 'https://user@a:1', 'http://a:1/path'])('%j is no etcd server', async (text) => {
  await expect(openEtcdStore({ endpoints: [text] })).rejects.toThrow('Cannot use');
});

function failureOf(error: unknown): StoreFailure {
  if (!(error instanceof StoreError)) throw error;
  return error.failure;
}
