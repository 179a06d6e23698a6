import { deferred, SteppedClock } from '@pintle/async';
import type { CachedClient } from '@pintle/client';
import type { Cached, KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import type { MapToRequests } from './change-mapper.ts';
import { ChangeMapper } from './change-mapper.ts';
import { requestKey } from './request.ts';

type Thing = KubernetesObject & { readonly to: readonly string[] };

const thing = (name: string, ...to: string[]): Cached<Thing> => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  to: to as never,
});

/** A mapper, what it told and what went wrong. */
function open(map: MapToRequests<Thing>) {
  const clock = new SteppedClock();
  const told: string[] = [];
  const failed: string[] = [];
  const client = {} as CachedClient;
  const mapper = new ChangeMapper<Thing>({
    map,
    client,
    clock,
    enqueue: (request) => void told.push(requestKey(request)),
    onError: ({ name }, error) => void failed.push(`${name}: ${(error as Error).message}`),
  });
  const take = (...states: Cached<Thing>[]): void =>
    mapper.take({ states, reason: { cause: 'external' }, options: { priority: 0 } });
  return { clock, told, failed, client, mapper, take };
}

const requests = (names: readonly string[]) => names.map((name) => ({ name }));

test('what a map gives at once is told at once, each request once', () => {
  const { told, take, mapper } = open(({ to }) => requests(to));
  take(thing('a', 'x', 'y'), thing('a', 'y', 'z'));
  expect(told).toEqual(['x', 'y', 'z']);
  expect(mapper.size).toBe(0);
});

test('a map that waits is given the cached client, one object at a time, in the order of their changes', async () => {
  const gates = new Map<string, ReturnType<typeof deferred<void>>>();
  let active = 0;
  const { told, take, mapper, client, clock } = open(async ({ metadata, to }, context) => {
    expect(context.client).toBe(client);
    expect(active++).toBe(0);
    const gate = deferred<void>();
    gates.set(metadata.name, gate);
    await gate.promise;
    active--;
    return requests(to);
  });
  take(thing('a', 'x'));
  take(thing('b', 'y'));
  take(thing('c', 'z'));
  let isAnswered = false;
  const drained = mapper.drained().then(() => (isAnswered = true));
  for (const name of ['a', 'b', 'c']) {
    expect(isAnswered).toBe(false);
    await clock.advance(0);
    gates.get(name)!.resolve();
    await clock.advance(0);
  }
  await drained;
  expect(told).toEqual(['x', 'y', 'z']);
  expect(mapper.size).toBe(0);
  mapper[Symbol.dispose]();
});

test('of changes that come meanwhile the last counts, and what was before the first', async () => {
  const calls: string[] = [];
  const gate = deferred<void>();
  const { told, take, mapper } = open(async ({ to }) => {
    calls.push(to.join());
    await gate.promise;
    return requests(to);
  });
  take(thing('a', 'first'));
  take(thing('b', 'one'), thing('b', 'zero'));
  take(thing('b', 'two'), thing('b', 'one'));
  take(thing('b', 'three'), thing('b', 'two'));
  gate.resolve();
  await mapper.drained();
  expect(told).toEqual(['first', 'three', 'zero']);
  expect(calls).toEqual(['first', 'three', 'zero']);
  mapper[Symbol.dispose]();
});

test.each<[string, () => Promise<never>]>([
  ['later', () => Promise.reject(new Error('not now'))],
  [
    'at once',
    () => {
      throw new Error('not now');
    },
  ],
])('a map that fails, %s, is asked again, later each time', async (_how, fail) => {
  let failures = 3;
  const { told, failed, take, clock, mapper } = open(({ to }) => (failures-- > 0 ? fail() : requests(to)));
  take(thing('a', 'x'));
  await mapper.drained();
  expect(told).toEqual([]);
  for (let i = 0; i < 3; i++) await clock.advance(1_000);
  expect(failed).toEqual(['a: not now', 'a: not now', 'a: not now']);
  expect(told).toEqual(['x']);
  mapper[Symbol.dispose]();
});

test('a list that fails half way through is told as a whole, when it is whole', async () => {
  let isBroken = true;
  const { told, take, clock, mapper } = open(function* ({ to }) {
    yield* requests(to);
    if (isBroken) throw new Error('half');
  });
  take(thing('a', 'x', 'y'));
  expect(told).toEqual([]);
  isBroken = false;
  await clock.advance(1_000);
  expect(told).toEqual(['x', 'y']);
  mapper[Symbol.dispose]();
});

test('once it is stopped nothing is told, and who waits is let go', async () => {
  const gate = deferred<void>();
  let signal: AbortSignal | undefined;
  const { told, failed, take, mapper } = open(async ({ to }, context) => {
    signal = context.signal;
    await gate.promise;
    return requests(to);
  });
  take(thing('a', 'x'));
  take(thing('b', 'y'));
  const drained = mapper.drained();
  mapper[Symbol.dispose]();
  await drained;
  expect(signal?.aborted).toBe(true);
  gate.resolve();
  take(thing('c', 'z'));
  await new Promise(setImmediate);
  expect([told, failed]).toEqual([[], []]);
});
