import { ConfigMap } from '@pintle/kinds/core/v1';
import { isConflict, isExpired, isTimeout, isTooManyRequests } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import type { ControlPlane, Fault } from '../index.ts';
import {
  conflict,
  delay,
  expired,
  failAfterEffect,
  loseAnswer,
  serverError,
  startControlPlane,
  stepped,
  timeout,
  tooManyRequests,
  unreachable,
} from '../index.ts';
import { addFruitController, Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';

const apple = { namespace: 'default', name: 'apple' };
const ripe = { status: { ripe: true } };
const options = { crds: [fruitDefinition], clock: stepped() };

const cases: readonly [string, Fault, (error: unknown) => boolean, isThere: boolean][] = [
  ['conflict', conflict(), isConflict, false],
  ['expired', expired(), isExpired, false],
  ['tooManyRequests', tooManyRequests(), isTooManyRequests, false],
  ['serverError', serverError(), (error) => /injected/.test(String(error)), false],
  ['timeout', timeout(), isTimeout, false],
  ['timeout with effect', timeout({ hasEffect: true }), isTimeout, true],
  ['failAfterEffect', failAfterEffect(), (error) => /all the same/.test(String(error)), true],
  ['unreachable', unreachable(), (error) => /Cannot reach/.test(String(error)), false],
  ['loseAnswer', loseAnswer(), (error) => /Cannot reach/.test(String(error)), true],
];

test('faults answer in the place of the server, with and without effect', async () => {
  await using plane = await startControlPlane();
  for (const [name, fault, isMeant, isThere] of cases) {
    const ref = { namespace: 'default', name: name.toLowerCase().replaceAll(' ', '-') };
    plane.faults.inject({ verb: 'create', resource: 'configmaps' }, fault);
    const error = await plane.client.create(ConfigMap, { metadata: ref }).catch((caught: unknown) => caught);
    expect([name, isMeant(error), (await plane.client.find(ConfigMap, ref)) !== undefined]).toEqual([
      name,
      true,
      isThere,
    ]);
  }
  expect(plane.requests.all({ verb: 'create' }).map(({ fault }) => fault)).toContain('answer lost');
});

test('a delay takes the plane’s time, and no other', async () => {
  await using plane = await startControlPlane({ clock: stepped() });
  plane.faults.inject({ actor: 'test', verb: 'create' }, delay('10s'));
  let isDone = false;
  const creating = plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'late' } });
  void creating.then(() => {
    isDone = true;
  });
  await plane.clock.advance('9s');
  expect(isDone).toBe(false);
  await plane.clock.advance('1s');
  expect((await creating).metadata.name).toBe('late');
});

test('an operator asks again when the server puts it off', async () => {
  await using plane = await startControlPlane({ ...options, objects: [fruit('apple')] });
  const put = plane.faults.inject({ actor: 'operator', verb: 'create' }, tooManyRequests({ retryAfterSeconds: 5 }));
  plane.operator(addFruitController);
  await plane.untilMatches(Fruit, apple, ripe);
  expect([put.hits, plane.clock.now() - Date.UTC(2026, 0, 1) >= 5_000]).toEqual([1, true]);
});

test('faults strike by chance, by the seed', async () => {
  const hits = async (seed: number): Promise<boolean[]> => {
    await using plane = await startControlPlane({ seed });
    plane.faults.inject({ verb: 'get' }, serverError(), { times: Number.POSITIVE_INFINITY, probability: 0.5 });
    const names = Array.from({ length: 12 }, () => plane.client.find(ConfigMap, apple));
    return (await Promise.allSettled(names)).map(({ status }) => status === 'rejected');
  };
  const first = await hits(5);
  expect(await hits(5)).toEqual(first);
  expect(new Set(first).size).toBe(2);
});

const breaks: readonly [string, (plane: ControlPlane) => number][] = [
  ['cut', ({ watches }) => watches.cut({ actor: 'operator' })],
  ['ended', ({ watches }) => watches.end({ actor: 'operator' })],
  ['expired', ({ watches }) => watches.expire({ actor: 'operator' })],
];

test.each(breaks)('an operator whose watches are %s takes up where it was', async (_name, act) => {
  await using plane = await startControlPlane(options);
  plane.operator(addFruitController);
  await plane.untilIdle();
  expect(act(plane)).toBe(2);
  await plane.client.create(Fruit, fruit('apple'));
  await plane.untilMatches(Fruit, apple, ripe);
});

test('a stalled watch brings nothing until it flows again', async () => {
  await using plane = await startControlPlane(options);
  plane.operator(addFruitController);
  await plane.untilIdle();
  const stall = plane.watches.stall({ actor: 'operator', resource: 'fruits' });
  await plane.client.create(Fruit, fruit('apple'));
  await plane.clock.advance('1m');
  plane.requests.assertWrites(0, { actor: 'operator' });
  stall[Symbol.dispose]();
  await plane.untilIdle();
  expect((await plane.client.get(Fruit, apple)).status).toEqual(ripe.status);
});

test('stale caches show an old world, also to an operator that was started anew', async () => {
  await using plane = await startControlPlane({ ...options, objects: [fruit('apple', 120)] });
  const operator = plane.operator(addFruitController);
  await plane.untilIdle();
  const stale = await plane.staleCaches({ actor: 'operator' });
  const found = await plane.client.get(Fruit, apple);
  await plane.client.update(Fruit, { ...found, spec: { weight: 90 } });
  operator.crash();
  operator.start();
  await plane.untilIdle();
  const seen = await operator.manager.client.get(Fruit, apple);
  expect(seen.spec.weight).toBe(120);
  stale[Symbol.dispose]();
  await plane.untilMatches(Fruit, apple, { status: { ripe: false } });
});

test('a lease is lost to somebody else, and taken back when that one is silent', async () => {
  await using plane = await startControlPlane({ ...options, objects: [fruit('apple')] });
  const setup = (manager: Manager): void => addFruitController(manager);
  const operator = plane.operator(setup, { leaderElection: 'fruits' });
  await plane.untilMatches(Fruit, apple, ripe);
  await plane.takeLease({ namespace: 'default', name: 'fruits' });
  await plane.clock.advance('3s');
  await plane.client.create(Fruit, fruit('pear'));
  await plane.clock.advance('3s');
  expect([operator.starts, operator.manager.isLeader]).toEqual([2, false]);
  expect((await plane.client.get(Fruit, { ...apple, name: 'pear' })).status).toBeUndefined();
  await plane.clock.advance('20s');
  expect(operator.manager.isLeader).toBe(true);
  await plane.untilMatches(Fruit, { ...apple, name: 'pear' }, ripe);
});
