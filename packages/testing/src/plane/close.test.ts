import { onceAborted } from '@pintle/async';
import { ConfigMap } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { Rejections } from '../explore/trial/rejections.ts';
import { type ControlPlane, stepped } from '../index.ts';
import { Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const options = { crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() };
const label = { namespace: 'default', name: 'apple-label' };

/** Holds each fruit by a finalizer, writes a label for it, then says that it is ripe. */
function addHoldingController(manager: Manager): void {
  manager
    .controller(Fruit)
    .owns(ConfigMap)
    .reconcile(async (object, context) => {
      if (await context.finalize('test.pintle.dev/label', async () => undefined)) return;
      await context.apply(ConfigMap, { metadata: { name: `${object.metadata.name}-label` } });
      await context.status({ ripe: true } as never);
    });
}

test.each([1, 2, 3])('a plane closes after its operator with a finalizer crashed after write %i', async (count) => {
  const plane = await startOwnPlane(options);
  const operator = plane.operator(addHoldingController, { crashAfterWrite: count });
  await plane.untilMatches(Fruit, { ...label, name: 'apple' }, { status: { ripe: true } });
  await plane.client.get(ConfigMap, label);
  expect(operator.starts).toBe(2);
  await plane.close();
});

test.each<[string, (plane: ControlPlane) => Promise<unknown>]>([
  ['for an object', (plane) => plane.untilMatches(Fruit, { ...label, name: 'apple' }, { status: { ripe: true } })],
  ['for rest', (plane) => plane.untilIdle()],
])('a wait %s that nobody awaited ends with the plane, and says so', async (_what, wait) => {
  const plane = await startOwnPlane(options);
  await plane.close();
  await expect(wait(plane)).rejects.toThrow('Cannot wait: the plane is closed. Await every wait before the test ends');
});

test('the rejection of a call without await tells of the await when its process crashed', async () => {
  using rejections = new Rejections();
  const plane = await startOwnPlane(options);
  plane.operator(
    (manager) => {
      manager
        .controller(Fruit)
        .owns(ConfigMap)
        .reconcile(async (_object, context) => {
          void context.apply(ConfigMap, { metadata: { name: label.name } });
          context.status({ ripe: true } as never);
          await context.clock.sleep(1_000);
        });
    },
    { crashAfterWrite: 1 },
  );
  await plane.untilMatches(Fruit, { ...label, name: 'apple' }, { status: { ripe: true } });
  await plane.close();
  expect(rejections.messages).toEqual([expect.stringContaining('does not await a call, such as ctx.apply')]);
});

const waits: readonly [string, (manager: Manager) => Promise<void>][] = [
  ['for the clock', ({ clock }) => clock.sleep(3_600_000)],
  ['for ever', () => new Promise<void>(() => undefined)],
];

test.each(waits)('a plane closes though a reconcile waits %s', async (_name, wait) => {
  const plane = await startOwnPlane(options);
  let isWaiting = false;
  plane.operator((manager) => {
    manager.controller(Fruit).reconcile(async () => {
      isWaiting = true;
      await wait(manager);
    });
  });
  await plane.eventually(() => isWaiting);
  await plane.close();
});

test('a plane lets operators finish what they do before it closes', async () => {
  const plane = await startOwnPlane(options);
  plane.operator((manager) => {
    manager.add({
      run: async ({ signal }) => {
        await onceAborted(signal);
        await manager.client.create(ConfigMap, { metadata: { ...label, name: 'farewell' } });
      },
    });
  });
  await plane.untilIdle();
  await plane.close();
  expect(plane.requests.all({ actor: 'operator', verb: 'create' }).map(({ status }) => status)).toEqual([201]);
});

test('a manager that the test runs ends with the plane', async () => {
  const plane = await startOwnPlane(options);
  const manager = plane.manager();
  addHoldingController(manager);
  const running = manager.run({ signal: new AbortController().signal });
  await plane.untilIdle();
  await plane.close();
  await running;
});

test('an operator that is stopped is given its grace by the clock', async () => {
  await using plane = await startOwnPlane(options);
  const operator = plane.operator((manager) => {
    manager.controller(Fruit).reconcile(() => manager.clock.sleep(20_000));
  });
  await plane.clock.advance('1s');
  let isStopped = false;
  const stopping = operator.stop().then(() => {
    isStopped = true;
  });
  await plane.clock.advance('18s');
  expect(isStopped).toBe(false);
  await plane.clock.advance('1s');
  await stopping;
});

test('nothing of an operator that crashed wakes when time passes', async () => {
  await using plane = await startOwnPlane(options);
  let count = 0;
  const operator = plane.operator((manager) => {
    const beat = async (): Promise<void> => {
      for (;;) {
        await manager.clock.sleep(1_000);
        count++;
      }
    };
    manager.add({ run: beat });
    manager.clock.setTimer(20_000, () => count++);
  });
  await plane.clock.advance('10s');
  expect(count).toBe(10);
  operator.crash();
  await plane.clock.advance('1m');
  expect(count).toBe(10);
});
