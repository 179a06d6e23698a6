import type { Client } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { APIService } from '@pintle/kinds/apiregistration/v1';
import { ConfigMap, Event } from '@pintle/kinds/core/v1';
import type { OwnerReference } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import { expect, test, vi } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const GARBAGE = ['garbage-collector-controller'];

test('what has no owner left goes, and what that owned', async () => {
  await using plane = await openPlane(GARBAGE);
  const top = await make(plane, 'top');
  const middle = await make(plane, 'middle', { owners: [top] });
  await make(plane, 'bottom', { owners: [middle] });
  await make(plane, 'free');
  await plane.client.delete(ConfigMap, { namespace, name: 'top' });
  await gone(plane, 'middle', 'bottom');
  expect(await plane.client.find(ConfigMap, { namespace, name: 'free' })).toBeDefined();
});

test('an owner that remains keeps its dependents, without the others', async () => {
  await using plane = await openPlane(GARBAGE);
  const [one, two] = [await make(plane, 'one'), await make(plane, 'two')];
  await make(plane, 'child', { owners: [one, two] });
  await plane.client.delete(ConfigMap, { namespace, name: 'one' });
  await plane.eventually(async () => {
    const { metadata } = await plane.client.get(ConfigMap, { namespace, name: 'child' });
    return metadata.ownerReferences?.length === 1 && metadata.ownerReferences[0]?.name === 'two';
  });
});

test('an owner that never was is no owner', async () => {
  await using plane = await openPlane(GARBAGE);
  const real = await make(plane, 'real');
  await make(plane, 'absent', { owners: [{ ...real, name: 'nobody', uid: 'b6ee1ef0-0000-4000-8000-000000000000' }] });
  await make(plane, 'other-uid', { owners: [{ ...real, uid: 'b6ee1ef0-0000-4000-8000-000000000001' }] });
  await gone(plane, 'absent', 'other-uid');
});

test('an owner of a version that is not served keeps its dependent, and the log names it', async () => {
  await using plane = await openPlane(GARBAGE);
  const warn = vi.spyOn(plane.manager.log, 'warn');
  const uid = 'b6ee1ef0-0000-4000-8000-000000000002';
  await make(plane, 'kept', { owners: [{ apiVersion: 'food.test/v1', kind: 'Fruit', name: 'apple', uid }] });
  const error = 'Cannot check owner of ConfigMap default/kept: kind food.test/v1 Fruit is not served';
  await plane.eventually(async () =>
    warn.mock.calls.some(([, fields]) => (fields as { error?: string } | undefined)?.error === error),
  );
  expect(await plane.client.find(ConfigMap, { namespace, name: 'kept' })).toBeDefined();
});

test('thousands of owners of kinds that are not served are looked at once, in turns, and logged in one line', async () => {
  await using plane = await openPlane(GARBAGE);
  const warn = vi.spyOn(plane.manager.log, 'warn');
  const real = await make(plane, 'real');
  const owners = Array.from({ length: 3_000 }, (_, i) => ({
    apiVersion: `food${i}.test/v1`,
    kind: 'Fruit',
    name: 'apple',
    uid: `b6ee1ef0-0000-4000-8001-${String(i).padStart(12, '0')}`,
  }));
  await make(plane, 'kept', { owners });
  for (const index of [3, 4, 5]) {
    await make(plane, 'absent', { owners: [{ ...real, uid: `b6ee1ef0-0000-4000-8000-00000000000${index}` }] });
    await gone(plane, 'absent');
    await plane.clock.advance(10_000);
  }
  expect(warn.mock.calls.filter(([message]) => message === 'Cannot collect garbage')).toHaveLength(1);
  expect(await plane.client.find(ConfigMap, { namespace, name: 'kept' })).toBeDefined();
});

test('an owner is looked up once its kind is served', async () => {
  await using plane = await openPlane(GARBAGE);
  const warn = vi.spyOn(plane.manager.log, 'warn');
  const owner = {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    name: 'one',
    uid: 'b6ee1ef0-0000-4000-8000-000000000006',
  };
  await make(plane, 'child', { owners: [owner] });
  await plane.eventually(async () => warn.mock.calls.length > 0);
  await define(plane.client);
  await gone(plane, 'child');
});

test('orphans lose their owner and stay', async () => {
  await using plane = await openPlane(GARBAGE);
  const top = await make(plane, 'top');
  await make(plane, 'child', { owners: [top] });
  await plane.client.delete(ConfigMap, { namespace, name: 'top' }, { propagationPolicy: 'Orphan' });
  await gone(plane, 'top');
  const { metadata } = await plane.client.get(ConfigMap, { namespace, name: 'child' });
  expect(metadata.ownerReferences).toBeUndefined();
});

test('an owner deleted in the foreground waits for the dependents that block it', async () => {
  await using plane = await openPlane(GARBAGE);
  const top = await make(plane, 'top');
  const finalizers = ['example.com/hold'];
  await make(plane, 'blocking', { owners: [{ ...top, blockOwnerDeletion: true }], finalizers });
  await make(plane, 'other', { owners: [top], finalizers });
  await plane.client.delete(ConfigMap, { namespace, name: 'top' }, { propagationPolicy: 'Foreground' });
  for (const name of ['blocking', 'other']) {
    await plane.eventually(async () => {
      const { metadata } = await plane.client.get(ConfigMap, { namespace, name });
      return metadata.deletionTimestamp !== undefined;
    });
  }
  expect(await plane.client.find(ConfigMap, { namespace, name: 'top' })).toBeDefined();
  await release(plane, 'blocking');
  await gone(plane, 'blocking', 'top');
  expect(await plane.client.find(ConfigMap, { namespace, name: 'other' })).toBeDefined();
});

test('two that own each other go together', async () => {
  await using plane = await openPlane(GARBAGE);
  const one = await make(plane, 'one');
  const two = await make(plane, 'two', { owners: [{ ...one, blockOwnerDeletion: true }] });
  const body = { metadata: { ownerReferences: [{ ...two, blockOwnerDeletion: true }] } };
  await plane.client.patch(ConfigMap, { namespace, name: 'one' }, { type: 'merge', body });
  await plane.client.delete(ConfigMap, { namespace, name: 'one' }, { propagationPolicy: 'Foreground' });
  await gone(plane, 'one', 'two');
});

test('an owner in another namespace does not count, and an event says so', async () => {
  await using plane = await openPlane(GARBAGE);
  const elsewhere = await plane.client.create(ConfigMap, { metadata: { namespace: 'kube-public', name: 'top' } });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'top', uid: elsewhere.metadata.uid! };
  await make(plane, 'child', { owners: [owner] });
  await gone(plane, 'child');
  const { message } = await plane.eventually(async () => (await plane.client.list(Event, { namespace })).items[0]);
  expect(message).toContain('does not exist in namespace "default"');
});

test('a thousand dependents follow their owner', async () => {
  await using plane = await openPlane(GARBAGE);
  const top = await make(plane, 'top');
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => make(plane, `child-${i}`, { owners: [top] })));
  await plane.client.delete(ConfigMap, { namespace, name: 'top' });
  await plane.eventually(async () => (await plane.client.list(ConfigMap, { namespace })).items.length === 0);
});

const dead = { namespace, name: 'nothing', port: 443 };

/** A server of other kinds that nobody can reach. */
async function registerNothing(client: Client, group = 'dead.example.com'): Promise<void> {
  const spec = { group, version: 'v0', groupPriorityMinimum: 100, versionPriority: 10 };
  await client.create(APIService, {
    metadata: { name: `v0.${group}` },
    spec: { ...spec, service: dead, insecureSkipTLSVerify: true },
  });
}

const Thing = resourceType({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
});

const DEFINITION = {
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'things', kind: 'Thing' },
} as const;
const SCHEMA = { openAPIV3Schema: { type: 'object' } };

/** Defines things, without waiting until they are served. */
function define(client: Client): Promise<CustomResourceDefinition> {
  const versions = [{ name: 'v1', served: true, storage: true, schema: SCHEMA }];
  return client.create(CustomResourceDefinition, {
    metadata: { name: 'things.example.com' },
    spec: { ...DEFINITION, versions },
  });
}

/** Things that cannot be listed: they are kept in one version, and whoever could convert them to the other is gone. */
async function defineUnlisted(client: Client): Promise<void> {
  const definition = await define(client);
  const ref = { name: 'things.example.com' };
  const isServed = async (): Promise<boolean> =>
    (await client.get(CustomResourceDefinition, ref)).status?.conditions?.some(
      ({ type, status }) => type === 'Established' && status === 'True',
    ) ?? false;
  while (!(await isServed())) await new Promise(setImmediate);
  await client.create(Thing, { metadata: { namespace, name: 'one' } });
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service: dead } };
  const versions = [
    { name: 'v1', served: true, storage: false, schema: SCHEMA },
    { name: 'v2', served: true, storage: true, schema: SCHEMA },
  ];
  const body = { spec: { ...definition.spec, versions, conversion: { strategy: 'Webhook', webhook } } };
  await client.patch(CustomResourceDefinition, ref, { type: 'merge', body });
  const isListed = async (): Promise<boolean> =>
    await client.list({ ...Thing, version: 'v2', apiVersion: 'example.com/v2' }).then(
      () => true,
      (error: unknown) => isNotFound(error),
    );
  while (await isListed()) await new Promise(setImmediate);
}

/** Creates a thing, and returns a reference to it. */
async function makeThing(client: Client): Promise<OwnerReference> {
  const { uid = '' } = (await client.create(Thing, { metadata: { namespace, name: 'one' } })).metadata;
  return { apiVersion: 'example.com/v1', kind: 'Thing', name: 'one', uid };
}

const ref = { name: 'things.example.com' };

/** Lets nobody convert things any longer, and stores new ones in a version that the garbage collector prefers. */
async function loseConversion(client: Client): Promise<void> {
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service: dead } };
  const versions = [
    { name: 'v1', served: true, storage: true, schema: SCHEMA },
    { name: 'v2', served: true, storage: false, schema: SCHEMA },
  ];
  const spec = { ...DEFINITION, versions, conversion: { strategy: 'Webhook', webhook } };
  await client.patch(CustomResourceDefinition, ref, { type: 'merge', body: { spec } });
}

async function defined({ client, eventually }: Plane): Promise<void> {
  await define(client);
  await eventually(() => client.list(Thing).then(() => true, ignoring(isNotFound)));
}

test('dependents follow the definition of their owner, whose end nobody could watch', async () => {
  await using plane = await openPlane(GARBAGE);
  await defined(plane);
  const owner = await makeThing(plane.client);
  const two = await make(plane, 'two');
  await make(plane, 'child', { owners: [owner] });
  await make(plane, 'shared', { owners: [owner, two] });
  await plane.clock.advance(60_000);
  await loseConversion(plane.client);
  await plane.clock.advance(60_000);
  expect(await plane.client.find(ConfigMap, { namespace, name: 'child' })).toBeDefined();
  await plane.client.delete(CustomResourceDefinition, ref);
  await gone(plane, 'child');
  await plane.eventually(async () => {
    const { metadata } = await plane.client.get(ConfigMap, { namespace, name: 'shared' });
    return metadata.ownerReferences?.length === 1 && metadata.ownerReferences[0]?.name === 'two';
  });
});

test('dependents of an owner that was never listed go with its definition', async () => {
  await using plane = await openPlane(GARBAGE, { before: defineUnlisted });
  const { uid = '' } = (await plane.client.get(Thing, { namespace, name: 'one' })).metadata;
  await make(plane, 'child', { owners: [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'one', uid }] });
  await plane.clock.advance(60_000);
  expect(await plane.client.find(ConfigMap, { namespace, name: 'child' })).toBeDefined();
  await plane.client.delete(CustomResourceDefinition, ref);
  await gone(plane, 'child');
});

test('owners whose definition serves no version keep their dependents until it is deleted', async () => {
  await using plane = await openPlane(GARBAGE);
  await defined(plane);
  await make(plane, 'child', { owners: [await makeThing(plane.client)] });
  await plane.clock.advance(60_000);
  const versions = [{ name: 'v1', served: false, storage: true, schema: SCHEMA }];
  await plane.client.patch(CustomResourceDefinition, ref, { type: 'merge', body: { spec: { versions } } });
  await plane.eventually(() => plane.client.list(Thing).then(() => false, isNotFound));
  await plane.clock.advance(300_000);
  expect(await plane.client.find(ConfigMap, { namespace, name: 'child' })).toBeDefined();
  await plane.client.delete(CustomResourceDefinition, ref);
  await gone(plane, 'child');
});

test('dependents of a deleted kind stay while another server may serve its group', async () => {
  await using plane = await openPlane(GARBAGE);
  await defined(plane);
  await make(plane, 'child', { owners: [await makeThing(plane.client)] });
  await plane.clock.advance(60_000);
  await loseConversion(plane.client);
  await registerNothing(plane.client, 'example.com');
  await plane.clock.advance(60_000);
  await plane.client.delete(CustomResourceDefinition, ref);
  await plane.clock.advance(300_000);
  expect(await plane.client.find(ConfigMap, { namespace, name: 'child' })).toBeDefined();
  await plane.client.delete(APIService, { name: 'v0.example.com' });
  await gone(plane, 'child');
});

test('owners of a definition that was deleted and created again keep their dependents', async () => {
  await using plane = await openPlane(GARBAGE);
  await defined(plane);
  await make(plane, 'child', { owners: [await makeThing(plane.client)] });
  await plane.clock.advance(60_000);
  await plane.client.delete(CustomResourceDefinition, ref);
  await gone(plane, 'child');
  await defined(plane);
  await make(plane, 'child', { owners: [await makeThing(plane.client)] });
  await plane.clock.advance(300_000);
  expect(await plane.client.find(ConfigMap, { namespace, name: 'child' })).toBeDefined();
});

test('a kind that cannot be listed for a while is told of once', async () => {
  await using plane = await openPlane(GARBAGE, { before: defineUnlisted });
  const warn = vi.spyOn(plane.manager.log, 'warn');
  const told = () => warn.mock.calls.filter(([message]) => message === 'Cannot watch objects');
  await plane.clock.advance(5_000);
  expect(told()).toEqual([]);
  await plane.eventually(async () => told().length > 0);
  await plane.clock.advance(600_000);
  expect(told()).toEqual([['Cannot watch objects', expect.objectContaining({ kind: 'Thing' })]]);
});

test.each([
  ['a server of other kinds is gone', (client: Client) => registerNothing(client)],
  ['a kind cannot be listed', defineUnlisted],
])('garbage is collected where %s', async (_what, before) => {
  await using plane = await openPlane(GARBAGE, { before });
  const top = await make(plane, 'top');
  await make(plane, 'child', { owners: [top] });
  await make(plane, 'blocking', { owners: [{ ...top, blockOwnerDeletion: true }] });
  await plane.client.delete(ConfigMap, { namespace, name: 'top' }, { propagationPolicy: 'Foreground' });
  await gone(plane, 'child', 'blocking', 'top');
});

test('an owner lets go of its dependents only when all kinds can be listed', async () => {
  await using plane = await openPlane(GARBAGE, { before: (client) => registerNothing(client) });
  const top = await make(plane, 'top');
  await make(plane, 'child', { owners: [top] });
  await plane.client.delete(ConfigMap, { namespace, name: 'top' }, { propagationPolicy: 'Orphan' });
  const other = await make(plane, 'other');
  await make(plane, 'garbage', { owners: [other] });
  await plane.client.delete(ConfigMap, { namespace, name: 'other' });
  await gone(plane, 'garbage');
  expect(await plane.client.find(ConfigMap, { namespace, name: 'top' })).toBeDefined();
  await plane.client.delete(APIService, { name: 'v0.dead.example.com' });
  await gone(plane, 'top');
  const { metadata } = await plane.client.get(ConfigMap, { namespace, name: 'child' });
  expect(metadata.ownerReferences).toBeUndefined();
});

async function make(
  { client }: Plane,
  name: string,
  { owners = [], finalizers = [] }: { owners?: OwnerReference[]; finalizers?: string[] } = {},
): Promise<OwnerReference> {
  const metadata = { namespace, name, finalizers, ownerReferences: owners };
  const { uid = '' } = (await client.create(ConfigMap, { metadata })).metadata;
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
}

async function release({ client }: Plane, name: string): Promise<void> {
  const body = { metadata: { finalizers: null } };
  await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body });
}

async function gone({ client, eventually }: Plane, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await eventually(async () => (await client.find(ConfigMap, { namespace, name })) === undefined);
}
