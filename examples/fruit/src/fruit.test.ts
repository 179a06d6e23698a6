import { ConfigMap } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import {
  conflict,
  loseAnswer,
  type OperatorOptions,
  type PolicyRule,
  serverError,
  startControlPlane,
  stepped,
  unavailable,
} from '@pintle/testing';
import { explore } from '@pintle/testing/explore';
import { describe, expect, test, vi } from 'vitest';
import { Fruit } from './main.ts';

/** The program is tested as it stands: what it asks of the manager it makes, is asked of those that the tests make. */
const asked = vi.hoisted((): [string, readonly unknown[]][] => []);
vi.mock('@pintle/operator', async (load) => {
  const operator = await load<typeof import('@pintle/operator')>();
  const note = (name: string) => (args: readonly unknown[]) => {
    if (name !== 'run') asked.push([name, args]);
    return name === 'run' ? undefined : noted;
  };
  const noted: object = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          note(String(name))(args),
    },
  );
  const construct = (target: typeof Manager, [options]: ConstructorParameters<typeof Manager>): object =>
    options?.client === undefined ? noted : new target(options);
  return { ...operator, Manager: new Proxy(operator.Manager, { construct }) };
});

type Ask = Record<string, (...args: readonly unknown[]) => Ask>;

function program(manager: Manager): void {
  asked.reduce((on, [name, args]) => on[name]!(...args), manager as unknown as Ask);
}

const apple = { namespace: 'default', name: 'apple' };
const label = { namespace: 'default', name: 'apple-label' };
const start = (options: Parameters<typeof startControlPlane>[0] = {}) =>
  startControlPlane({ crds: [Fruit], clock: stepped(), ...options });
type Plane = Awaited<ReturnType<typeof start>>;
const create = (plane: Plane, spec: object) =>
  plane.client.create(Fruit, { metadata: apple, spec: spec as Fruit['spec'] });

describe('a fruit', () => {
  test('gets a label with its weight, which it controls', async () => {
    await using plane = await start();
    plane.operator(program);
    await create(plane, { weight: 120 });
    const { data, metadata } = await plane.untilMatches(ConfigMap, label, { data: { weight: '120' } });
    expect(data).toEqual({ weight: '120' });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Fruit', name: 'apple', controller: true }]);
  });

  test.each([
    [100, false],
    [101, true],
  ])('of weight %i is ripe: %s', async (weight, ripe) => {
    await using plane = await start();
    plane.operator(program);
    await create(plane, { weight });
    await plane.untilMatches(Fruit, apple, { status: { ripe } });
  });

  test('that grows gets a new label, and ripens', async () => {
    await using plane = await start();
    plane.operator(program);
    await create(plane, { weight: 10 });
    await plane.untilMatches(Fruit, apple, { status: { ripe: false } });
    await plane.client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: 500 } } });
    await plane.untilMatches(ConfigMap, label, { data: { weight: '500' } });
    await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  });

  test('takes its label along when it is deleted', async () => {
    await using plane = await start({ controllers: ['garbage-collector-controller'] });
    plane.operator(program);
    await create(plane, { weight: 120 });
    await plane.untilMatches(ConfigMap, label, {});
    await plane.client.delete(Fruit, apple);
    await plane.untilGone(ConfigMap, label);
  });
});

describe('a label', () => {
  test('that somebody deletes comes back', async () => {
    await using plane = await start();
    plane.operator(program);
    await create(plane, { weight: 120 });
    const { metadata } = await plane.untilMatches(ConfigMap, label, {});
    await plane.client.delete(ConfigMap, label);
    const again = await plane.eventually(() => plane.client.get(ConfigMap, label));
    expect(again.metadata.uid).not.toBe(metadata.uid);
  });

  test('that somebody rewrites is put right, and what else they wrote is left alone', async () => {
    await using plane = await start();
    plane.operator(program);
    await create(plane, { weight: 120 });
    await plane.untilMatches(ConfigMap, label, {});
    await plane.client.patch(ConfigMap, label, { type: 'merge', body: { data: { weight: '1', price: '2' } } });
    await plane.untilMatches(ConfigMap, label, { data: { weight: '120', price: '2' } });
  });
});

describe('the definition', () => {
  test('fills in what is left out', async () => {
    await using plane = await start();
    expect((await create(plane, { weight: 1 })).spec).toEqual({ weight: 1, sweetness: false });
  });

  test.each([
    ['no weight', {}, 'spec.weight: Required value'],
    ['no weight to speak of', { weight: 0 }, 'should be greater than or equal to 1'],
    ['half a weight', { weight: 1.5 }, 'spec.weight: Invalid value'],
    ['a weight in words', { weight: 'heavy' }, 'must be of type integer'],
    ['a taste in words', { weight: 1, sweetness: 'very' }, 'must be of type boolean'],
  ])('refuses a fruit with %s', async (_what, spec, why) => {
    await using plane = await start();
    await expect(create(plane, spec)).rejects.toThrow(why);
  });

  test('has a column for kubectl', async () => {
    await using plane = await start();
    await create(plane, { weight: 7 });
    const path = '/apis/user.k8sasdb.org/v1/namespaces/default/fruits';
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    expect(await plane.client.call({ method: 'GET', path, headers })).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Weight', type: 'integer' }],
      rows: [{ cells: ['apple', 7] }],
    });
  });
});

describe('the operator', () => {
  test('writes nothing once everything is as it should be', async () => {
    await using plane = await start();
    plane.operator(program);
    await create(plane, { weight: 120 });
    await plane.untilIdle();
    plane.requests.assertWrites(2, { actor: 'operator' });
    const place = plane.requests.length;
    await plane.clock.advance('30m');
    plane.requests.since(place).assertWrites(0, { actor: 'operator' });
    expect(plane.complaints).toEqual([]);
  });

  test('needs the rights it says it needs, and no others', async () => {
    const { rules, used } = await rightsOf({ leaderElection: 'fruit-operator' });
    expect(rules).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'delete', 'list', 'patch', 'watch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update', 'watch'] },
      { apiGroups: ['user.k8sasdb.org'], resources: ['fruits'], verbs: ['list', 'watch'] },
      { apiGroups: ['user.k8sasdb.org'], resources: ['fruits/finalizers'], verbs: ['update'] },
      { apiGroups: ['user.k8sasdb.org'], resources: ['fruits/status'], verbs: ['patch'] },
    ]);
    // All that is granted was asked for, but for what comes with it: creating, by an apply; lists, where a server cannot
    // stream them; what it takes to give a child its owner; and the watch of one that stands by.
    const granted = rules.flatMap(({ resources = [], verbs }) =>
      resources.flatMap((each) => verbs.map((verb) => `${verb} ${each}`)),
    );
    expect(granted.filter((right) => !used.has(right))).toEqual([
      'create configmaps',
      'delete configmaps',
      'list configmaps',
      'watch leases',
      'list fruits',
      'update fruits/finalizers',
    ]);
    // All that is used is granted: with these rights and no others it does the same.
    expect((await rightsOf({ leaderElection: 'fruit-operator', user: 'fruits' }, rules)).rules).toEqual(rules);
  });

  test('installs the resource where it is missing', async () => {
    await using plane = await startControlPlane({ clock: stepped() });
    plane.operator(program);
    await plane.eventually(() => create(plane, { weight: 120 }));
    await plane.untilMatches(ConfigMap, label, { data: { weight: '120' } });
  });

  test('gets over a server that answers badly', async () => {
    await using plane = await start();
    const struck = [serverError(), unavailable(), loseAnswer(), conflict()].map((fault) =>
      plane.faults.inject({ actor: 'operator', verb: 'patch' }, fault),
    );
    plane.operator(program);
    await create(plane, { weight: 120 });
    await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
    await plane.untilMatches(ConfigMap, label, { data: { weight: '120' } });
    expect(struck.map(({ hits }) => hits)).toEqual([1, 1, 1, 1]);
  });

  test('of which two run is followed by the other within the lease', async () => {
    await using plane = await start();
    const election = { leaderElection: 'fruit-operator' };
    const first = plane.operator(program, { ...election, name: 'first', isRestarted: false });
    await plane.eventually(() => first.manager.isLeader);
    plane.operator(program, { ...election, name: 'second' });
    await plane.clock.advance('10s');
    first.crash();
    await create(plane, { weight: 120 });
    const crashedAt = plane.clock.monotonic();
    await plane.untilMatches(ConfigMap, label, { data: { weight: '120' } });
    expect(plane.clock.monotonic() - crashedAt).toBeLessThanOrEqual(15_000);
    plane.requests.assertWrites(0, { actor: 'first' });
  });

  test('ends up with the same, wherever it was killed', async () => {
    const undisturbed = await live();
    expect(undisturbed.writes).toBe(4);
    for (let crashAfterWrite = 1; crashAfterWrite <= undisturbed.writes; crashAfterWrite++) {
      const { state, starts } = await live(crashAfterWrite);
      expect(starts).toBe(2);
      expect(state).toEqual(undisturbed.state);
    }
  });
});

/** What the operator says it may do, and what it did, when all is well with a fruit. */
async function rightsOf(options: OperatorOptions, allowed: readonly PolicyRule[] = []) {
  await using plane = await start({ users: { fruits: { rules: allowed } } });
  const operator = plane.operator(program, options);
  await create(plane, { weight: 120 });
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  await plane.untilIdle();
  await plane.clock.advance('5s');
  const asked = plane.requests.all({ actor: 'operator' });
  const used = new Set(
    asked.map(({ verb, resource, subresource }) => `${verb} ${[resource, subresource].filter(Boolean).join('/')}`),
  );
  return { rules: operator.manager.clusterRole().rules ?? [], used };
}

/** A fruit comes and grows; then nothing more is written. */
async function live(crashAfterWrite?: number) {
  await using plane = await start();
  const operator = plane.operator(program, crashAfterWrite === undefined ? {} : { crashAfterWrite });
  await create(plane, { weight: 10 });
  await plane.untilMatches(Fruit, apple, { status: { ripe: false } });
  await plane.client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: 500 } } });
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  await plane.untilIdle();
  const { writes, starts } = operator;
  await plane.clock.advance('15m');
  expect(operator.writes).toBe(writes);
  const { spec, status } = await plane.client.get(Fruit, apple);
  const { data, metadata } = await plane.client.get(ConfigMap, label);
  const owners = metadata.ownerReferences?.map(({ uid: _, ...owner }) => owner);
  return { state: { spec, status, data, owners }, writes, starts };
}

test('the operator survives what goes wrong', async () => {
  const report = await explore({
    crds: [Fruit],
    operator: program,
    manager: { leaderElection: { name: 'fruit-operator', namespace: 'default' } },
    scenario: async ({ client, settle }) => {
      for (let round = 0; round < 2; round++) {
        await client.create(Fruit, { metadata: apple, spec: { weight: 10 } as Fruit['spec'] });
        await settle();
        await client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: 120 } } });
        await settle();
        await client.delete(Fruit, apple);
        await settle();
      }
    },
    budget: { seconds: 200, plans: Number(process.env.PINTLE_EXPLORE_PLANS ?? 16) },
  });
  expect(report).toHaveNoFindings();
}, 240_000);

test('three replicas share the fruits, with the same program', async () => {
  await using plane = await start();
  const names = Array.from({ length: 9 }, (_, i) => `fruit-${i}`);
  for (const name of names)
    await plane.client.create(Fruit, { metadata: { namespace: 'default', name }, spec: { weight: 120 } });
  const replicas = ['a', 'b', 'c'].map((name) => plane.operator(program, { name, sharding: 'fruits' }));
  await plane.clock.advance('20s');
  const owned = replicas.map(({ manager }) => manager.shards?.ownedSlots);
  expect(owned.sort()).toEqual([85, 85, 86]);
  const labels = (await plane.client.list(ConfigMap, { namespace: 'default' })).items.map(
    ({ metadata }) => metadata.name,
  );
  expect(labels).toEqual(expect.arrayContaining(names.map((name) => `${name}-label`)));
});
