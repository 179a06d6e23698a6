import { deferred } from '@pintle/async';
import { Informer, ShardView } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { isShardFenced } from '@pintle/machinery/errors';
import { parseShardMap, shardHash, shardSlot, slotSelector } from '@pintle/machinery/selectors';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import type { ControlPlane } from '../index.ts';
import { startControlPlane, stepped } from '../index.ts';
import { Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';

const names = Array.from({ length: 24 }, (_, i) => `fruit-${i}`);

/** Writes the name of the replica into a child of each fruit, and records who reconciled what. */
function addController(replica: string, seen: Map<string, Set<string>>) {
  return (manager: Manager): void => {
    manager
      .controller(Fruit)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const { name } = object.metadata;
        seen.set(name, (seen.get(name) ?? new Set()).add(replica));
        await ctx.apply(ConfigMap, { metadata: { name }, data: { by: replica, weight: `${object.spec.weight}` } });
      });
  };
}

const start = () =>
  startControlPlane({ crds: [fruitDefinition], objects: names.map((name) => fruit(name)), clock: stepped() });

async function slotsOf({ client }: ControlPlane) {
  const map = await client.get(ConfigMap, { namespace: 'default', name: 'fruits-shards' });
  return parseShardMap(map.data?.slots ?? '')!;
}

async function writers({ client }: ControlPlane): Promise<Map<string, string>> {
  const { items } = await client.list(ConfigMap, { namespace: 'default' });
  return new Map(items.flatMap(({ metadata, data }) => (data?.by ? [[metadata.name, data.by]] : [])));
}

test('replicas share the objects, and take over those of one that crashed', async () => {
  await using plane = await start();
  const seen = new Map<string, Set<string>>();
  const options = { sharding: 'fruits' };
  const a = plane.operator(addController('a', seen), { ...options, name: 'a' });
  plane.operator(addController('b', seen), { ...options, name: 'b' });
  await plane.clock.advance('20s');
  const owners = new Set((await slotsOf(plane)).map(({ owner }) => owner));
  expect(owners.size).toBe(2);
  expect(owners.has('')).toBe(false);
  expect([...(await writers(plane)).keys()].sort()).toEqual([...names].sort());
  for (const name of names)
    await plane.client.patch(Fruit, { namespace: 'default', name }, { type: 'merge', body: { spec: { weight: 200 } } });
  seen.clear();
  await plane.clock.advance('5s');
  expect(new Set((await writers(plane)).values())).toEqual(new Set(['a', 'b']));
  expect([...seen.values()].every((replicas) => replicas.size <= 1)).toBe(true);

  a.crash();
  await plane.clock.advance('20s');
  expect(new Set((await slotsOf(plane)).map(({ owner }) => owner)).size).toBe(1);
  expect(new Set((await writers(plane)).values())).toEqual(new Set(['b']));
});

test('idle replicas renew their leases and send nothing else', async () => {
  await using plane = await start();
  for (const name of ['a', 'b']) plane.operator(addController(name, new Map()), { sharding: 'fruits', name });
  await plane.clock.advance('20s');
  const before = plane.requests.length;
  await plane.clock.advance('60s');
  const sent = plane.requests.since(before).all();
  const renewals = (verb: string) => sent.filter((each) => each.resource === 'leases' && each.verb === verb).length;
  expect(sent.map(({ verb, resource }) => `${verb} ${resource}`).filter((text) => !text.endsWith(' leases'))).toEqual(
    [],
  );
  expect(renewals('patch')).toBeLessThanOrEqual(2 * 20);
  expect(renewals('update')).toBeLessThanOrEqual(30);
  expect(sent.length).toBe(renewals('patch') + renewals('update'));
});

test('a replica ignores objects that its filter refuses, also when it gets their slots', async () => {
  await using plane = await start();
  const seen = new Set<string>();
  const add = (manager: Manager): void => {
    manager
      .controller(Fruit)
      .filter(({ object }) => object.metadata.name === 'fruit-1')
      .reconcile(async ({ metadata }) => void seen.add(metadata.name));
  };
  plane.operator(add, { sharding: 'fruits', name: 'a' });
  await plane.clock.advance('10s');
  expect([...seen]).toEqual(['fruit-1']);
});

/** Starts a replica whose filter refuses listed objects; its reconciles of one object wait until the test opens the gate. */
async function startSelective(isChildOwned: boolean) {
  const plane = await start();
  const moving = (await plane.client.list(Fruit, { namespace: 'default' })).items
    .filter(({ metadata }) => shardSlot(shardHash(metadata.uid)) >= 128)
    .map(({ metadata }) => metadata);
  const [held, entered] = [deferred(), deferred()];
  const reconciled: string[] = [];
  const add =
    (replica: string) =>
    (manager: Manager): void => {
      const builder = manager.controller(Fruit).filter(({ type }) => type !== 'added');
      if (isChildOwned) builder.owns(ConfigMap);
      builder.reconcile(async ({ metadata: { name } }) => {
        reconciled.push(`${replica} ${name}`);
        if (replica !== 'a' || name !== moving[0]!.name) return;
        entered.resolve();
        await held.promise;
      });
    };
  plane.operator(add('a'), { sharding: 'fruits', name: 'a' });
  await plane.clock.advance('10s');
  expect(reconciled).toEqual([]);
  const touch = ({ name }: { readonly name: string }) =>
    plane.client.patch(Fruit, { namespace: 'default', name }, { type: 'merge', body: { spec: { weight: 77 } } });
  await touch(moving[0]!);
  await plane.clock.advance('1s');
  await entered.promise;
  const startSecond = () => plane.operator(add('b'), { sharding: 'fruits', name: 'b' });
  return { plane, moving, held, reconciled, touch, startSecond };
}

test('a change of a child during the handover of its parent is reconciled, though the filter refuses listed objects', async () => {
  const { plane, moving, held, reconciled, startSecond } = await startSelective(true);
  await using _plane = plane;
  startSecond();
  await plane.clock.advance('5s');
  const { name, uid } = moving[0]!;
  const owner = { apiVersion: Fruit.apiVersion, kind: Fruit.kind, name, uid, controller: true };
  const child = { metadata: { namespace: 'default', name: 'child', ownerReferences: [owner] } };
  await plane.client.create(ConfigMap, child);
  await plane.clock.advance('1s');
  held.resolve();
  await plane.clock.advance('5s');
  expect(reconciled).toEqual([`a ${name}`, `b ${name}`]);
});

test('a replica reconciles what is in its queue before it hands over, when the filter refuses listed objects', async () => {
  const { plane, moving, held, reconciled, touch, startSecond } = await startSelective(false);
  await using _plane = plane;
  await touch(moving[1]!);
  await plane.clock.advance('1s');
  const first = (await slotsOf(plane))[0]!.owner;
  startSecond();
  await plane.clock.advance('5s');
  held.resolve();
  await plane.clock.advance('5s');
  expect(reconciled).toEqual([`a ${moving[0]!.name}`, `a ${moving[1]!.name}`]);
  expect((await slotsOf(plane)).filter(({ owner }) => owner !== first).length).toBe(128);
});

test('a replica that stood still while others took over cannot write any more', async () => {
  await using plane = await start();
  const seen = new Map<string, Set<string>>();
  const a = plane.operator(addController('a', seen), { sharding: 'fruits', name: 'a' });
  await plane.clock.advance('10s');
  const epochs = (await slotsOf(plane)).map(({ epoch }) => epoch);
  const { shards } = a.manager;
  const held = await plane.client.get(Fruit, { namespace: 'default', name: 'fruit-0' });
  const tenure = shards!.enter(Fruit, { namespace: 'default', name: 'fruit-0' });
  if (tenure === undefined || tenure === 'later') throw new Error('The replica does not own the object');
  const map = await plane.client.get(ConfigMap, { namespace: 'default', name: 'fruits-shards' });
  await plane.client.update(ConfigMap, { ...map, data: { slots: `00-ff other ${epochs[0]! + 1}\n` } });
  const fence = { 'pintle-fence': `default/fruits-shards/${tenure.slot}/${tenure.epoch}` };
  const late = plane.client.intercepted((request, next) =>
    next({ ...request, headers: { ...request.headers, ...fence } }),
  );
  const body = { spec: { weight: 1 } };
  const error = await late.patch(Fruit, held.metadata, { type: 'merge', body }).catch((failure: unknown) => failure);
  expect(isShardFenced(error)).toBe(true);
  shards!.leave(tenure);
  await plane.client.patch(Fruit, held.metadata, { type: 'merge', body });
});

test.each([
  ['ctx', 'new'],
  ['manager', 'old'],
] as const)(
  'a paused process that wakes up in a reconcile and writes by %s.client leaves the %s value',
  async (by, left) => {
    await using plane = await startControlPlane({
      crds: [fruitDefinition],
      objects: [fruit('apple')],
      clock: stepped(),
    });
    const [entered, wake] = [deferred(), deferred()];
    let processes = 0;
    const operator = plane.operator(
      (manager) => {
        const value = ++processes === 1 ? 'old' : 'new';
        manager.controller(Fruit).reconcile(async ({ metadata }, ctx) => {
          entered.resolve();
          if (value === 'old') await wake.promise;
          const client = by === 'ctx' ? ctx.client : manager.client;
          const configuration = { metadata: { namespace: 'default', name: metadata.name }, data: { value } };
          await client.apply(ConfigMap, configuration, { fieldManager: 'fruits', force: true });
        });
      },
      { sharding: 'fruits', name: 'a' },
    );
    await plane.clock.advance('5s');
    await entered.promise;
    const paused = operator.overtake()!;
    await plane.clock.advance('25s');
    const storedValue = async () =>
      (await plane.client.find(ConfigMap, { namespace: 'default', name: 'apple' }))?.data?.value;
    expect(await storedValue()).toBe('new');
    paused.resume();
    wake.resolve();
    await plane.clock.advance('1s');
    expect(await storedValue()).toBe(left);
    paused.kill();
  },
);

test.each([
  ['selects', true],
  ['does not select', false],
])('an informer has its shard on a server that %s, and follows changes of it', async (_, isSelecting) => {
  await using plane = await start();
  const received = new Set<string>();
  const watched: (string | null)[] = [];
  const client = plane.client.intercepted((request, next) => {
    const query = new URLSearchParams(request.query);
    if (!isSelecting) query.delete('shardSelector');
    if (query.has('watch')) watched.push(query.get('shardSelector'));
    return next({ ...request, query: query.toString() });
  });
  const lower = new Set(Array.from({ length: 128 }, (_each, slot) => slot));
  const all = new Set(Array.from({ length: 256 }, (_each, slot) => slot));
  const unsupported: string[] = [];
  const source = { slots: lower, covered: () => undefined, unsupported: (field: string) => unsupported.push(field) };
  const shard = new ShardView('object.metadata.uid', source);
  const informer = new Informer({ client, type: Fruit, shard, clock: plane.clock });
  const deleted: string[] = [];
  informer.subscribe({
    added: ({ metadata }) => received.add(metadata.name),
    deleted: ({ metadata }) => deleted.push(metadata.name),
  });
  const stop = new AbortController();
  const running = informer.run(stop);
  const { items } = await plane.client.list(Fruit, { namespace: 'default' });
  const inLower = items
    .filter(({ metadata }) => lower.has(shardSlot(shardHash(metadata.uid))))
    .map(({ metadata }) => metadata.name);
  const cached = () =>
    informer.cache
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  await plane.clock.advance('2s');
  expect(cached()).toEqual(inLower.sort());
  expect(inLower.length).toBeLessThan(names.length);
  source.slots = all;
  informer.reshard();
  await plane.clock.advance('2s');
  expect(cached()).toEqual([...names].sort());
  expect(informer.coveredSlots.size).toBe(256);
  source.slots = lower;
  informer.reshard();
  expect(cached()).toEqual(inLower.sort());
  await plane.clock.advance('2s');
  // The watch is opened again, so that events of lost slots do not arrive any more.
  expect(watched.at(-1)).toBe(isSelecting ? slotSelector('object.metadata.uid', lower).toString() : null);
  await plane.client.create(Fruit, fruit('late'));
  await plane.clock.advance('2s');
  const late = await plane.client.get(Fruit, { namespace: 'default', name: 'late' });
  expect(cached().includes('late')).toBe(lower.has(shardSlot(shardHash(late.metadata.uid))));
  expect(deleted).toEqual([]);
  expect(unsupported).toEqual(isSelecting ? [] : ['object.metadata.uid']);
  stop.abort();
  await running;
});
