import { Deployment } from '@pintle/kinds/apps/v1';
import { Event } from '@pintle/kinds/core/v1';
import type { ControlPlane, ControlPlaneOptions } from '@pintle/testing';
import { conflict, loseAnswer, serverError, startControlPlane, stepped, unavailable } from '@pintle/testing';
import { describe, expect, test } from 'vitest';
import { addFooController, deploymentOf } from './controller.ts';
import { Foo } from './foo.ts';

const foo = { namespace: 'default', name: 'foo' };
const web = { namespace: 'default', name: 'web' };
const GC = ['garbage-collector-controller'];

const start = (options: ControlPlaneOptions = {}) => startControlPlane({ crds: [Foo], clock: stepped(), ...options });
const create = (plane: ControlPlane, spec: Partial<Foo['spec']> = {}) =>
  plane.client.create(Foo, { metadata: foo, spec: { deploymentName: 'web', replicas: 2, ...spec } });
const change = (plane: ControlPlane, spec: Partial<Foo['spec']>) =>
  plane.client.patch(Foo, foo, { type: 'merge', body: { spec } });
const readyOf = async (plane: ControlPlane) =>
  (await plane.client.get(Foo, foo)).status?.conditions?.find(({ type }) => type === 'Ready');

/** Stands in for the controllers and nodes that would make pods. */
async function makeAvailable(plane: ControlPlane, availableReplicas: number): Promise<void> {
  await plane.setAvailable(web, availableReplicas);
  await plane.untilIdle();
}

/** What people were told about the Foo. */
async function eventOf(plane: ControlPlane): Promise<Event | undefined> {
  const { uid } = (await plane.client.get(Foo, foo)).metadata;
  const { items } = await plane.client.list(Event, { namespace: 'default' });
  return items.find(({ involvedObject }) => involvedObject.uid === uid);
}

describe('a Foo', () => {
  test('makes the Deployment it names, and controls it', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    const { metadata } = await create(plane);
    await plane.untilIdle();
    const { spec, metadata: made } = await plane.client.get(Deployment, web);
    expect(spec).toMatchObject({
      replicas: 2,
      selector: { matchLabels: { app: 'nginx', controller: 'foo' } },
      template: { spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] } },
    });
    expect(made.ownerReferences).toMatchObject([{ kind: 'Foo', name: 'foo', uid: metadata.uid, controller: true }]);
  });

  test('asks for one replica when it does not say', () => {
    const metadata = { namespace: 'default', name: 'foo' };
    const asked = { apiVersion: Foo.apiVersion, kind: Foo.kind, metadata, spec: { deploymentName: 'a', replicas: 1 } };
    expect(deploymentOf(asked)).toMatchObject({ metadata: { name: 'a' }, spec: { replicas: 1 } });
  });

  test('changes the Deployment when it changes', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    await change(plane, { replicas: 5 });
    await plane.untilMatches(Deployment, web, { spec: { replicas: 5 } });
  });

  test('tells how many replicas are available, and when all are', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    expect(await readyOf(plane)).toMatchObject({ status: 'False', reason: 'Progressing', observedGeneration: 1 });
    await makeAvailable(plane, 1);
    await plane.untilMatches(Foo, foo, { status: { availableReplicas: 1 } });
    await makeAvailable(plane, 2);
    await plane.untilMatches(Foo, foo, { status: { availableReplicas: 2, observedGeneration: 1 } });
    expect(await readyOf(plane)).toMatchObject({ status: 'True', reason: 'AllAvailable' });
  });

  test('becomes ready on simulated nodes', async () => {
    await using plane = await start({
      controllers: [
        'deployment-controller',
        'replicaset-controller',
        'serviceaccount-controller',
        'node-lifecycle-controller',
      ],
      nodes: 1,
    });
    plane.operator(addFooController);
    await create(plane);
    await plane.untilMatches(Foo, foo, { status: { availableReplicas: 2 } });
    expect(await readyOf(plane)).toMatchObject({ status: 'True' });
  });

  test('that names another Deployment drops the one it had', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    await change(plane, { deploymentName: 'other' });
    await plane.untilMatches(Deployment, { namespace: 'default', name: 'other' }, { spec: { replicas: 2 } });
    await plane.untilGone(Deployment, web);
  });

  test('takes its Deployment along when it is deleted', async () => {
    await using plane = await start({ controllers: GC });
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    await plane.client.delete(Foo, foo);
    await plane.untilGone(Deployment, web);
  });

  test.each([
    ['no name', { deploymentName: '' }, 'spec.deploymentName'],
    ['no replicas', { replicas: 0 }, 'should be greater than or equal to 1'],
    ['too many replicas', { replicas: 11 }, 'should be less than or equal to 10'],
  ])('with %s is refused', async (_what, spec, why) => {
    await using plane = await start();
    await expect(create(plane, spec)).rejects.toThrow(why);
  });
});

describe('the Deployment', () => {
  test('that somebody deletes comes back', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    const { metadata } = await plane.client.get(Deployment, web);
    await plane.client.delete(Deployment, web);
    await plane.untilIdle();
    expect((await plane.client.get(Deployment, web)).metadata.uid).not.toBe(metadata.uid);
  });

  test('that somebody scales is scaled back, and what else they set stays', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    const body = { spec: { replicas: 9, minReadySeconds: 7 } };
    await plane.client.patch(Deployment, web, { type: 'merge', body });
    await plane.untilMatches(Deployment, web, { spec: { replicas: 2, minReadySeconds: 7 } });
  });

  test('of somebody else is left alone until it goes, and people are told', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const theirs = { metadata: web, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    await using plane = await start();
    await plane.client.create(Deployment, theirs);
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    expect(await readyOf(plane)).toMatchObject({ status: 'False', reason: 'ErrResourceExists' });
    expect((await plane.client.get(Deployment, web)).metadata.ownerReferences).toBeUndefined();
    const told = await plane.eventually(() => eventOf(plane));
    expect(told).toMatchObject({ type: 'Warning', reason: 'ErrResourceExists', involvedObject: { name: 'foo' } });
    await plane.client.delete(Deployment, web);
    await plane.untilMatches(Deployment, web, { spec: { replicas: 2 } });
    expect(await readyOf(plane)).toMatchObject({ reason: 'Progressing' });
  });

  test('of a Foo made anew is taken over', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    await plane.client.delete(Foo, foo);
    const { metadata } = await create(plane);
    await plane.untilIdle();
    const owners = (await plane.client.get(Deployment, web)).metadata.ownerReferences;
    expect(owners?.map(({ uid }) => uid)).toEqual([metadata.uid]);
  });
});

describe('the operator', () => {
  test('tells once that a Foo is synced', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane, { replicas: 1 });
    await plane.untilIdle();
    await makeAvailable(plane, 1);
    await plane.client.patch(Foo, foo, { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } });
    await plane.untilIdle();
    const told = await plane.eventually(() => eventOf(plane));
    expect(told).toMatchObject({ type: 'Normal', reason: 'Synced', message: 'Foo synced successfully', count: 1 });
  });

  test('writes nothing once everything is as it should be', async () => {
    await using plane = await start();
    plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    plane.requests.assertWrites(2, { actor: 'operator' });
    const place = plane.requests.length;
    await plane.client.patch(Deployment, web, { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } });
    await plane.clock.advance('30m');
    // New fields may be those of an earlier process of this operator, so they are applied over once.
    plane.requests.since(place).assertWrites(1, { actor: 'operator' });
    expect(plane.complaints).toEqual([]);
  });

  test('needs few rights', async () => {
    await using plane = await start();
    const operator = plane.operator(addFooController);
    await create(plane);
    await plane.untilIdle();
    const { rules = [] } = operator.manager.clusterRole();
    plane.requests.assertGranted(rules as never, { actor: 'operator' });
    expect(rules.flatMap(({ resources = [] }) => resources).sort()).toContain('deployments');
    expect(rules.some(({ verbs }) => verbs.includes('*'))).toBe(false);
  });

  test('gets over a server that answers badly', async () => {
    await using plane = await start();
    const struck = [serverError(), unavailable(), loseAnswer(), conflict()].map((fault) =>
      plane.faults.inject({ actor: 'operator', verb: 'patch' }, fault),
    );
    plane.operator(addFooController);
    await create(plane);
    await plane.untilMatches(Deployment, web, { spec: { replicas: 2 } });
    await plane.untilMatches(Foo, foo, { status: { observedGeneration: 1 } });
    expect(struck.map(({ hits }) => hits)).toEqual([1, 1, 1, 1]);
  });

  test('of which two run is followed by the other within the lease', async () => {
    await using plane = await start();
    const election = { leaderElection: 'sample-controller' };
    const first = plane.operator(addFooController, { ...election, name: 'first', isRestarted: false });
    await plane.eventually(() => first.manager.isLeader);
    plane.operator(addFooController, { ...election, name: 'second' });
    await plane.clock.advance('10s');
    first.crash();
    await create(plane);
    const crashedAt = plane.clock.monotonic();
    await plane.untilMatches(Deployment, web, { spec: { replicas: 2 } });
    expect(plane.clock.monotonic() - crashedAt).toBeLessThanOrEqual(15_000);
    plane.requests.assertWrites(0, { actor: 'first' });
  });

  test('ends up with the same, wherever it was killed', async () => {
    const undisturbed = await live();
    expect(undisturbed.writes).toBeGreaterThanOrEqual(6);
    for (let crashAfterWrite = 1; crashAfterWrite <= undisturbed.writes; crashAfterWrite++) {
      const { state, starts } = await live(crashAfterWrite);
      expect(starts).toBe(2);
      expect(state).toEqual(undisturbed.state);
    }
  });
});

/** A Foo comes, becomes available, grows and takes another name; then nothing more is written. */
async function live(crashAfterWrite?: number) {
  await using plane = await start();
  const operator = plane.operator(addFooController, crashAfterWrite === undefined ? {} : { crashAfterWrite });
  await create(plane);
  await plane.untilMatches(Deployment, web, { spec: { replicas: 2 } });
  await makeAvailable(plane, 2);
  await plane.untilMatches(Foo, foo, { status: { availableReplicas: 2 } });
  await change(plane, { replicas: 3 });
  await plane.untilMatches(Deployment, web, { spec: { replicas: 3 } });
  await change(plane, { deploymentName: 'other' });
  await plane.untilGone(Deployment, web);
  await plane.untilIdle();
  const { writes } = operator;
  await plane.clock.advance('15m');
  expect(operator.writes).toBe(writes);
  const { spec, status } = await plane.client.get(Foo, foo);
  const { items } = await plane.client.list(Deployment, { namespace: 'default' });
  const deployments = items.map(({ metadata, spec }) => ({
    name: metadata.name,
    owners: metadata.ownerReferences?.map(({ uid: _, ...owner }) => owner),
    spec,
  }));
  const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition);
  return { state: { spec, status: { ...status, conditions }, deployments }, writes, starts: operator.starts };
}
