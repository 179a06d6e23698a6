import { deferred } from '@pintle/async';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { stepped } from '../index.ts';
import { describeSlowness } from '../plane/slowness.ts';
import { startOwnPlane } from '../testing/own-plane.ts';
import type { SlowAdvance } from './plane-clock.ts';
import { SteppedPlaneClock } from './plane-clock.ts';

const QUIET = 'isQuiet: true';

test('an advance that takes long is told of while it is under way', async () => {
  const told = deferred<SlowAdvance>();
  const settle = async (): Promise<void> => {
    if (clock.monotonic() >= 60_000) await told.promise;
  };
  const clock = new SteppedPlaneClock({ settle, slowAfterMs: 1, onSlow: told.resolve });
  clock.setTimer(60_000, () => undefined);
  await clock.advance('20m');
  expect(await told.promise).toMatchObject({ byMs: 1_200_000, tookMs: 1 });
});

test('it is told who asks most', async () => {
  await using plane = await startOwnPlane({ nodes: 1, clock: stepped() });
  await plane.clock.advance('2m');
  const text = describeSlowness({ byMs: 1_200_000, passedMs: 120_000, tookMs: 3_000 }, plane.requests);
  expect(text).toContain('120 s of 1200 s have passed after 3 s');
  expect(text).toMatch(/kube-controller-manager \w+ leases \(\d+ times\)/);
  expect(text).toContain(QUIET);
});

test('a quiet clock is advised where watches end and are opened again', async () => {
  await using plane = await startOwnPlane({ clock: stepped() });
  plane.operator((manager) => manager.controller(ConfigMap).reconcile(async () => undefined));
  await plane.clock.advance('1h');
  const text = describeSlowness({ byMs: 7_200_000, passedMs: 3_600_000, tookMs: 3_000 }, plane.requests);
  expect(text).toMatch(/Most requests so far: operator watch configmaps \(\d+ times\)/);
  expect(text).toContain(QUIET);
});

test('a quiet clock is advised only where the time itself is what takes long', async () => {
  await using plane = await startOwnPlane({ clock: stepped() });
  await plane.client.list(ConfigMap, { namespace: 'default' });
  const text = describeSlowness({ byMs: 1_000, passedMs: 8.3005312, tookMs: 3_000 }, plane.requests);
  expect(text).toContain('0 s of 1 s have passed after 3 s. Most requests so far: test list configmaps (1 times)');
  expect(text).not.toContain(QUIET);
});
