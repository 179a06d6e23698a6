import { Namespace, Secret } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { OWNER_ANNOTATION, OWNER_UID_LABEL } from '@pintle/operator';
import type { ControlPlane, ControlPlaneOptions } from '@pintle/testing';
import { conflict, loseAnswer, serverError, startControlPlane, stepped, unavailable } from '@pintle/testing';
import { describe, expect, test } from 'vitest';
import { addSecSynchController } from './controller.ts';
import { SecSynch } from './sec-synch.ts';

const synch = { namespace: 'default', name: 'synch' };
const source = { namespace: 'default', name: 'token' };
const ONE = Buffer.from('one').toString('base64');
const TWO = Buffer.from('two').toString('base64');

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const secret = (metadata: object, data: Record<string, string> = { key: ONE }) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  type: 'Opaque',
  data,
});
const start = (options: ControlPlaneOptions = {}) =>
  startControlPlane({
    crds: [SecSynch],
    objects: [namespace('a'), namespace('b'), secret(source)],
    clock: stepped(),
    ...options,
  });
const create = (plane: ControlPlane, namespaces = ['a', 'b']) =>
  plane.client.create(SecSynch, { metadata: synch, spec: { source: { name: 'token' }, namespaces } });
const change = (plane: ControlPlane, spec: Partial<SecSynch['spec']>) =>
  plane.client.patch(SecSynch, synch, { type: 'merge', body: { spec } });
const copyIn = (plane: ControlPlane, place: string) => plane.client.find(Secret, { namespace: place, name: 'token' });
const setData = (plane: ControlPlane, place: string, data: object) =>
  plane.client.patch(Secret, { namespace: place, name: 'token' }, { type: 'merge', body: { data } });
const syncedOf = async (plane: ControlPlane) =>
  (await plane.client.get(SecSynch, synch)).status?.conditions?.find(({ type }) => type === 'Synced');

/** A plane with two copies, and nothing left to do. */
async function copied(options: ControlPlaneOptions = {}, setup: (manager: Manager) => void = addSecSynchController) {
  const plane = await start(options);
  const operator = plane.operator(setup);
  await create(plane);
  await plane.untilIdle();
  return Object.assign(plane, { synching: operator });
}

describe('a SecSynch', () => {
  test('copies its Secret into each namespace, and says so', async () => {
    await using plane = await copied();
    for (const place of ['a', 'b'])
      expect(await copyIn(plane, place)).toMatchObject({ type: 'Opaque', data: { key: ONE } });
    expect((await plane.client.get(SecSynch, synch)).status).toMatchObject({ copies: 2, observedGeneration: 1 });
    expect(await syncedOf(plane)).toMatchObject({ status: 'True', reason: 'AllCopied' });
  });

  test('marks copies as its own without owning them', async () => {
    await using plane = await copied();
    const { uid } = (await plane.client.get(SecSynch, synch)).metadata;
    const { metadata } = (await copyIn(plane, 'a'))!;
    expect(metadata.ownerReferences).toBeUndefined();
    expect(metadata.labels).toEqual({ [OWNER_UID_LABEL]: uid });
    expect(metadata.annotations).toEqual({ [OWNER_ANNOTATION]: 'SecSynch.sync.pintle.dev/default/synch' });
  });

  test('that names another namespace copies there, and no longer where it did', async () => {
    await using plane = await copied({ objects: [...['a', 'b', 'c'].map(namespace), secret(source)] });
    await change(plane, { namespaces: ['b', 'c'] });
    await plane.untilIdle();
    const where = await Promise.all(['a', 'b', 'c'].map((place) => copyIn(plane, place)));
    expect(where.map((found) => found !== undefined)).toEqual([false, true, true]);
  });

  test('holds itself before it copies, and removes the copies when it is deleted', async () => {
    await using plane = await copied();
    const writes = plane.requests.writes({ actor: 'operator' }).map(({ resource }) => resource);
    expect(writes.slice(0, 3)).toEqual(['secsynches', 'secrets', 'secrets']);
    await plane.client.delete(SecSynch, synch);
    await plane.untilGone(SecSynch, synch);
    expect([await copyIn(plane, 'a'), await copyIn(plane, 'b')]).toEqual([undefined, undefined]);
    expect(await plane.client.find(Secret, source)).toBeDefined();
  });

  test('stays while a copy cannot be removed', async () => {
    await using plane = await copied();
    const refused = plane.faults.inject({ actor: 'operator', verb: 'delete' }, serverError(), { times: 3 });
    await plane.client.delete(SecSynch, synch);
    await plane.untilGone(SecSynch, synch);
    expect(refused.hits).toBe(3);
    expect([await copyIn(plane, 'a'), await copyIn(plane, 'b')]).toEqual([undefined, undefined]);
  });

  test('leaves a Secret of the name alone that is no copy, until it is gone', async () => {
    const theirs = secret({ namespace: 'a', name: 'token' }, { theirs: TWO });
    await using plane = await copied({ objects: [namespace('a'), namespace('b'), secret(source), theirs] });
    expect((await copyIn(plane, 'a'))?.data).toEqual({ theirs: TWO });
    expect((await plane.client.get(SecSynch, synch)).status).toMatchObject({
      copies: 1,
      missing: [{ namespace: 'a', reason: 'TakenByAnother' }],
    });
    await plane.client.delete(Secret, { namespace: 'a', name: 'token' });
    await plane.untilIdle();
    expect((await copyIn(plane, 'a'))?.data).toEqual({ key: ONE });
    expect(await syncedOf(plane)).toMatchObject({ status: 'True' });
  });

  test('does not take the copies of another', async () => {
    await using plane = await copied();
    const spec = { source: { namespace: 'default', name: 'token' }, namespaces: ['a'] };
    await plane.client.create(SecSynch, { metadata: { namespace: 'default', name: 'second' }, spec });
    await plane.untilIdle();
    const second = await plane.client.get(SecSynch, { namespace: 'default', name: 'second' });
    expect(second.status).toMatchObject({ copies: 0, missing: [{ namespace: 'a', reason: 'TakenByAnother' }] });
    expect((await copyIn(plane, 'a'))?.metadata.annotations?.[OWNER_ANNOTATION]).toBe(
      'SecSynch.sync.pintle.dev/default/synch',
    );
  });

  test('copies to its own namespace a Secret of another, which it then owns', async () => {
    await using plane = await start({ objects: [namespace('a'), secret({ namespace: 'a', name: 'token' })] });
    plane.operator(addSecSynchController);
    const spec = { source: { namespace: 'a', name: 'token' }, namespaces: ['default'] };
    await plane.client.create(SecSynch, { metadata: synch, spec });
    await plane.untilIdle();
    const { metadata } = (await copyIn(plane, 'default'))!;
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'SecSynch', name: 'synch', controller: true }]);
  });
});

describe('the source', () => {
  test('carries its changes to all copies', async () => {
    await using plane = await copied();
    await setData(plane, 'default', { key: null, other: TWO });
    await plane.untilIdle();
    for (const place of ['a', 'b']) expect((await copyIn(plane, place))?.data).toEqual({ other: TWO });
  });

  test('that comes later is copied then', async () => {
    await using plane = await copied({ objects: [namespace('a'), namespace('b')] });
    expect(await syncedOf(plane)).toMatchObject({ status: 'False', reason: 'SourceMissing' });
    await plane.client.create(Secret, secret(source));
    await plane.untilIdle();
    expect((await copyIn(plane, 'b'))?.data).toEqual({ key: ONE });
    expect(await syncedOf(plane)).toMatchObject({ status: 'True' });
  });

  test('that goes leaves the copies as they are, and the status tells', async () => {
    await using plane = await copied();
    await plane.client.delete(Secret, source);
    await plane.untilIdle();
    expect((await copyIn(plane, 'a'))?.data).toEqual({ key: ONE });
    expect(await syncedOf(plane)).toMatchObject({ status: 'False', reason: 'SourceMissing' });
  });

  test('that comes back for another use replaces the copies', async () => {
    await using plane = await copied();
    await plane.client.delete(Secret, source);
    await plane.client.create(Secret, { ...secret(source), type: 'example.com/other' });
    await plane.untilIdle();
    expect(await copyIn(plane, 'a')).toMatchObject({ type: 'example.com/other' });
    expect(plane.complaints).toEqual([]);
  });
});

describe('a copy', () => {
  test('that somebody changes is put right', async () => {
    await using plane = await copied();
    await setData(plane, 'a', { key: TWO });
    await plane.untilIdle();
    expect((await copyIn(plane, 'a'))?.data).toEqual({ key: ONE });
  });

  test('that somebody deletes comes back', async () => {
    await using plane = await copied();
    await plane.client.delete(Secret, { namespace: 'a', name: 'token' });
    await plane.untilIdle();
    expect(await copyIn(plane, 'a')).toBeDefined();
  });

  test('that lost its label is found again', async () => {
    await using plane = await copied();
    const body = { metadata: { labels: null, annotations: null } };
    await plane.client.patch(Secret, { namespace: 'a', name: 'token' }, { type: 'merge', body });
    await plane.untilIdle();
    expect((await copyIn(plane, 'a'))?.metadata.labels?.[OWNER_UID_LABEL]).toBeDefined();
    await plane.client.delete(SecSynch, synch);
    await plane.untilGone(SecSynch, synch);
    expect(await copyIn(plane, 'a')).toBeUndefined();
  });
});

describe('a namespace', () => {
  test('that comes later gets its copy then', async () => {
    await using plane = await start();
    plane.operator(addSecSynchController);
    await create(plane, ['a', 'later']);
    await plane.untilIdle();
    expect((await plane.client.get(SecSynch, synch)).status).toMatchObject({
      copies: 1,
      missing: [{ namespace: 'later', reason: 'NoNamespace' }],
    });
    await plane.client.create(Namespace, namespace('later'));
    await plane.untilIdle();
    expect(await copyIn(plane, 'later')).toBeDefined();
  });

  test('that goes takes its copy along, and gets it again when it is back', async () => {
    await using plane = await copied({ controllers: ['namespace-controller'] });
    await plane.client.delete(Namespace, { name: 'a' });
    await plane.untilGone(Namespace, { name: 'a' });
    await plane.untilMatches(SecSynch, synch, { status: { copies: 1 } });
    await plane.client.create(Namespace, namespace('a'));
    await plane.untilMatches(SecSynch, synch, { status: { copies: 2 } });
    expect(await copyIn(plane, 'a')).toBeDefined();
  });
});

describe('the operator', () => {
  test('does not look again for changes that move nothing', async () => {
    await using plane = await copied();
    const before = await reconcilesOf(plane.synching.manager);
    const label = { type: 'merge', body: { metadata: { labels: { team: 'blue' } } } } as const;
    await plane.client.patch(Secret, source, label);
    await plane.client.patch(Secret, { namespace: 'a', name: 'token' }, label);
    await plane.client.patch(SecSynch, synch, label);
    await plane.client.patch(Namespace, { name: 'a' }, label);
    await plane.client.create(Secret, secret({ namespace: 'b', name: 'unrelated' }));
    await plane.untilIdle();
    expect(await reconcilesOf(plane.synching.manager)).toBe(before);
    expect((await copyIn(plane, 'a'))?.metadata.labels).toMatchObject({ team: 'blue' });
  });

  test('writes nothing once everything is as it should be', async () => {
    await using plane = await copied();
    plane.requests.assertWrites(4, { actor: 'operator' });
    const place = plane.requests.length;
    await plane.clock.advance('30m');
    plane.requests.since(place).assertWrites(0, { actor: 'operator' });
    expect(plane.complaints).toEqual([]);
  });

  test('gets over a server that answers badly', async () => {
    await using plane = await start();
    const struck = [serverError(), unavailable(), loseAnswer(), conflict()].map((fault) =>
      plane.faults.inject({ actor: 'operator', verb: 'patch' }, fault),
    );
    plane.operator(addSecSynchController);
    await create(plane);
    await plane.untilMatches(SecSynch, synch, { status: { copies: 2 } });
    expect(struck.map(({ hits }) => hits)).toEqual([1, 1, 1, 1]);
  });

  test('copies to others when one namespace refuses', async () => {
    await using plane = await start();
    const filter = { actor: 'operator', verb: 'patch', resource: 'secrets', namespace: 'a' };
    const refused = plane.faults.inject(filter, serverError(), { times: 3 });
    plane.operator(addSecSynchController);
    await create(plane);
    await plane.eventually(() => copyIn(plane, 'b'));
    await plane.untilMatches(SecSynch, synch, { status: { copies: 2 } });
    expect(refused.hits).toBe(3);
  });

  test('of which two run is followed by the other within the lease', async () => {
    await using plane = await start();
    const election = { leaderElection: 'secret-sync' };
    const first = plane.operator(addSecSynchController, { ...election, name: 'first', isRestarted: false });
    await plane.eventually(() => first.manager.isLeader);
    plane.operator(addSecSynchController, { ...election, name: 'second' });
    await plane.clock.advance('10s');
    first.crash();
    await create(plane);
    const crashedAt = plane.clock.monotonic();
    await plane.eventually(() => copyIn(plane, 'b'));
    expect(plane.clock.monotonic() - crashedAt).toBeLessThanOrEqual(15_000);
    plane.requests.assertWrites(0, { actor: 'first' });
  });

  test('ends up with the same, wherever it was killed', async () => {
    const undisturbed = await live();
    expect(undisturbed.writes).toBeGreaterThanOrEqual(12);
    for (let crashAfterWrite = 1; crashAfterWrite <= undisturbed.writes; crashAfterWrite++) {
      const { state, starts } = await live(crashAfterWrite);
      expect(starts).toBe(2);
      expect(state).toEqual(undisturbed.state);
    }
  });
});

async function reconcilesOf(manager: Manager): Promise<number> {
  const metric = await manager.metrics.getSingleMetric('controller_runtime_reconcile_total')?.get();
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** Copies are made, changed and moved, and those of a second SecSynch removed; then nothing more is written. */
async function live(crashAfterWrite?: number) {
  await using plane = await start();
  const operator = plane.operator(addSecSynchController, crashAfterWrite === undefined ? {} : { crashAfterWrite });
  await create(plane);
  await plane.untilMatches(SecSynch, synch, { status: { copies: 2 } });
  await setData(plane, 'default', { key: TWO });
  await plane.untilMatches(Secret, { namespace: 'b', name: 'token' }, { data: { key: TWO } });
  await plane.client.create(Secret, secret({ namespace: 'default', name: 'other' }));
  const second = { namespace: 'default', name: 'second' };
  await plane.client.create(SecSynch, { metadata: second, spec: { source: { name: 'other' }, namespaces: ['a'] } });
  await plane.untilMatches(SecSynch, second, { status: { copies: 1 } });
  await plane.client.delete(SecSynch, second);
  await plane.untilGone(SecSynch, second);
  await change(plane, { namespaces: ['a'] });
  await plane.untilGone(Secret, { namespace: 'b', name: 'token' });
  await plane.untilMatches(SecSynch, synch, { status: { copies: 1 } });
  await plane.untilIdle();
  const { writes } = operator;
  await plane.clock.advance('15m');
  expect(operator.writes).toBe(writes);
  const { spec, status, metadata } = await plane.client.get(SecSynch, synch);
  const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition);
  const { items } = await plane.client.list(Secret);
  const ours = items.filter(({ metadata }) => ['default', 'a', 'b'].includes(metadata.namespace ?? ''));
  const secrets = ours.map(({ metadata: { namespace, name, annotations }, data, type }) => ({
    namespace,
    name,
    owner: annotations?.[OWNER_ANNOTATION],
    data,
    type,
  }));
  const state = { spec, status: { ...status, conditions }, finalizers: metadata.finalizers, secrets };
  return { state, writes, starts: operator.starts };
}
