import type { Interceptor } from '@pintle/client';
import {
  addFinalizer,
  Client,
  hasCondition,
  hasFinalizer,
  intercept,
  LeaderElector,
  RestMapper,
  removeFinalizer,
  retryOnConflict,
  untilDeleted,
  waitFor,
} from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ConfigMap, type Pod } from '@pintle/kinds/core/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeSteppedClusters, openSteppedCluster, type SteppedCluster, unique } from '../helpers/cluster.ts';

let cluster: SteppedCluster;
let client: Client;
let namespace: string;
beforeAll(async () => {
  cluster = await openSteppedCluster();
  ({ client, namespace } = cluster);
});
closeSteppedClusters();
afterAll(() => cluster[Symbol.asyncDispose]());

const map = (name: string) => ({ metadata: { namespace, name } });

describe('waitFor', () => {
  test('sees what is, and what becomes', async () => {
    const ref = { namespace, name: 'waited' };
    const ripe = waitFor(client, ConfigMap, ref, (object) => object?.data?.ripe === 'yes', { timeoutMs: 1e9 });
    await client.create(ConfigMap, map('waited'));
    await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { ripe: 'yes' } } });
    expect((await ripe)?.data).toEqual({ ripe: 'yes' });
    expect(await waitFor(client, ConfigMap, ref, (object) => object !== undefined)).toMatchObject(map('waited'));
  });

  test('says for what it waited in vain', async () => {
    const ref = { namespace, name: 'never' };
    const waiting = waitFor(client, ConfigMap, ref, (object) => object !== undefined, { timeoutMs: 5_000 });
    const ended = expect(waiting).rejects.toThrow(
      `Cannot wait for ConfigMap ${namespace}/never: timed out after 5000 ms`,
    );
    await cluster.clock.advance(5_000);
    await ended;
  });

  test('ends by its signal, and by a condition that throws', async () => {
    const ref = { namespace, name: 'never' };
    const stop = new AbortController();
    const waiting = waitFor(client, ConfigMap, ref, () => false, { timeoutMs: 1e9, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    let asked = 0;
    const fail = () => {
      if (asked++ > 0) throw new Error('broken');
      return false;
    };
    await expect(waitFor(client, ConfigMap, ref, fail, { timeoutMs: 1e9 })).rejects.toThrow('broken');
  });
});

test('hasCondition looks at the newest generation only', () => {
  const pod = (generation: number, observedGeneration?: number): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', generation },
    status: { conditions: [{ type: 'Ready', status: 'True', ...(observedGeneration && { observedGeneration }) }] },
  });
  expect([pod(2), pod(2, 1), pod(2, 2), undefined].map(hasCondition('Ready'))).toEqual([true, false, true, false]);
});

test('untilDeleted waits for the finalizers, and for the one that was meant', async () => {
  const ref = { namespace, name: 'held' };
  const made = await client.create(ConfigMap, map('held'));
  const held = await addFinalizer(client, ConfigMap, made, 'example.org/hold');
  expect(hasFinalizer(held!, 'example.org/hold')).toBe(true);
  // An old copy is as good: what the server has is looked at.
  await addFinalizer(client, ConfigMap, made, 'example.org/other');
  await client.delete(ConfigMap, ref);
  const gone = untilDeleted(client, ConfigMap, { ...ref, uid: made.metadata.uid! }, { timeoutMs: 1e9 });
  const left = await removeFinalizer(client, ConfigMap, made, 'example.org/other').then(() =>
    client.get(ConfigMap, ref),
  );
  expect(left.metadata.finalizers).toEqual(['example.org/hold']);
  expect(await removeFinalizer(client, ConfigMap, left, 'example.org/hold')).not.toMatchObject({
    metadata: { finalizers: expect.anything() },
  });
  await client.create(ConfigMap, map('held'));
  await gone;
  expect(await removeFinalizer(client, ConfigMap, left, 'example.org/hold')).toBeUndefined();
});

test('retryOnConflict reads again and goes on', async () => {
  const ref = { namespace, name: 'contended' };
  await client.create(ConfigMap, map('contended'));
  const bump = () =>
    retryOnConflict(
      async () => {
        const object = await client.get(ConfigMap, ref);
        const count = Number(object.data?.count ?? 0) + 1;
        await client.update(ConfigMap, { ...object, data: { count: `${count}` } });
      },
      { tries: 100 },
    );
  await Promise.all([bump(), bump(), bump(), bump()]);
  expect((await client.get(ConfigMap, ref)).data).toEqual({ count: '4' });
});

describe('RestMapper', () => {
  test.each([
    ['deploy', 'apps/v1 deployments'],
    ['deployment', 'apps/v1 deployments'],
    ['Deployments.apps', 'apps/v1 deployments'],
    ['deployments.v1.apps', 'apps/v1 deployments'],
    ['po', 'v1 pods'],
    ['events', 'v1 events'],
    ['events.events.k8s.io', 'events.k8s.io/v1 events'],
  ])('%s means %s', async (word, meant) => {
    const { apiVersion, plural } = await new RestMapper({ client }).resource(word);
    expect(`${apiVersion} ${plural}`).toBe(meant);
  });

  test('learns of a definition that was just made', async () => {
    const mapper = new RestMapper({ client });
    const group = `${unique('fruit')}.example.org`;
    const wanted = { apiVersion: `${group}/v1`, kind: 'Fruit' };
    await expect(mapper.kind(wanted)).rejects.toMatchObject({ failure: { code: 'UnknownKind' } });
    await client.create(CustomResourceDefinition, {
      metadata: { name: `fruits.${group}` },
      spec: {
        group,
        names: { kind: 'Fruit', plural: 'fruits', shortNames: [group.slice(0, 16)] },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const ref = { name: `fruits.${group}` };
    await waitFor(client, CustomResourceDefinition, ref, hasCondition('Established'), { timeoutMs: 1e9 });
    // A server may tell of a definition a moment after it serves it.
    const found = await cluster.eventually(() => mapper.kind(wanted).catch(() => undefined));
    expect(found).toMatchObject({ plural: 'fruits', scope: 'Namespaced' });
    expect(await mapper.resource(group.slice(0, 16))).toMatchObject({ kind: 'Fruit' });
    await client.delete(CustomResourceDefinition, ref);
  });

  test('does not ask for every unknown word', async () => {
    let asked = 0;
    const count: Interceptor = (request, next) => {
      asked++;
      return next(request);
    };
    const counting = new Client({ transport: intercept(client.transport, count), clock: cluster.clock });
    const mapper = new RestMapper({ client: counting });
    for (let i = 0; i < 10; i++) await expect(mapper.resource('nonsense')).rejects.toThrow('"nonsense"');
    expect(asked).toBe(2 * 4);
    await cluster.clock.advance(10_000);
    await expect(mapper.resource('nonsense')).rejects.toThrow();
    expect(asked).toBe(2 * 5);
  });
});

test('two candidates lead one after the other on a real Lease', async () => {
  const lease = { namespace, name: 'leader' };
  const terms: string[] = [];
  const start = (identity: string) => {
    const stop = new AbortController();
    const elector = new LeaderElector({ client, lease, identity, clock: cluster.clock });
    const lead = ({ signal, leaseTransitions }: { signal: AbortSignal; leaseTransitions: number }) => {
      terms.push(`${identity} ${leaseTransitions}`);
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    return { elector, stop, running: elector.run(lead, stop) };
  };
  const first = start('a');
  await cluster.eventually(async () => first.elector.isLeader);
  const second = start('b');
  await cluster.pass(30_000);
  expect(second.elector).toMatchObject({ isLeader: false, leader: 'a' });
  first.stop.abort();
  await first.running;
  await cluster.eventually(async () => second.elector.isLeader);
  expect(terms).toEqual(['a 0', 'b 1']);
  const { spec } = await client.get(Lease, lease);
  expect(spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 15 });
  second.stop.abort();
  await second.running;
});
