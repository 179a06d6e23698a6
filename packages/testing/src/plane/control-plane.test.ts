import { deferred, realClock } from '@pintle/async';
import { ConfigMap, Namespace, Pod } from '@pintle/kinds/core/v1';
import { describe, expect, test } from 'vitest';
import { conflict, loseAnswer, startControlPlane, stepped } from '../index.ts';
import { addFruitController, Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const apple = { namespace: 'default', name: 'apple' };
const label = { namespace: 'default', name: 'apple-label' };

test('a plane answers as soon as it has started', async () => {
  await using plane = await startControlPlane();
  const { items } = await plane.client.list(Namespace);
  expect(items.map(({ metadata }) => metadata.name)).toContain('default');
});

test('an operator runs on it until both are quiet, and then writes no more', async () => {
  await using plane = await startControlPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  plane.operator(addFruitController);
  await plane.untilIdle();
  expect((await plane.client.get(ConfigMap, label)).data).toEqual({ weight: '120' });
  expect((await plane.client.get(Fruit, apple)).status).toEqual({ ripe: true });
  plane.requests.assertWrites(1, { actor: 'operator', resource: 'fruits/status' });
  const place = plane.requests.length;
  await plane.clock.advance('1h');
  plane.requests.since(place).assertWrites(0, { actor: 'operator' });
});

test('an operator runs on the machine’s clock as well', async () => {
  await using plane = await startControlPlane({ crds: [fruitDefinition], objects: [fruit('apple')] });
  plane.operator(addFruitController);
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
});

test('a manager that the test runs itself is waited for as well', async () => {
  await using plane = await startControlPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  const manager = plane.manager({ name: 'mine' });
  addFruitController(manager);
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await plane.untilIdle();
  plane.requests.assertWrites(2, { actor: 'mine' });
  stop.abort();
  await running;
});

test('what takes none of the plane’s time is waited for, unless a test says how long', async () => {
  await using plane = await startOwnPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  const [outside, done] = [deferred(), deferred()];
  plane.operator((manager) => {
    manager.controller(Fruit).reconcile(async () => {
      await outside.promise;
      done.resolve();
    });
  });
  let isDone = false;
  void done.promise.then(() => {
    isDone = true;
  });
  const error = await rejection(plane.eventually(() => isDone, { within: '1m' }));
  expect(error.message).toMatch(
    /^It did not happen within 60 s of the plane’s clock \(\d+(\.\d)? s\): the function returned false\nNot idle: fruit has 1/,
  );
  realClock.setTimer(1_000, () => outside.resolve());
  await plane.eventually(() => isDone);
});

test('a plane is patient for as long as it is told to', async () => {
  const beganMs = realClock.monotonic();
  await using plane = await startOwnPlane({ patience: '2s' });
  const error = await rejection(plane.eventually(() => false));
  expect(error.message).toMatch(/^It did not happen within \d+(\.\d)? s: the function returned false$/);
  expect(realClock.monotonic() - beganMs).toBeGreaterThan(1_990);
});

test('more patience is spent only while something moves', async () => {
  const beganMs = realClock.monotonic();
  await using plane = await startOwnPlane({ clock: stepped(), patience: '35s' });
  const error = await rejection(plane.eventually(() => false));
  expect(error.message).toMatch(/^It did not happen within \d+(\.\d)? s of the plane’s clock/);
  expect(realClock.monotonic() - beganMs).toBeLessThan(30_000);
});

test('a wait that takes long within one step says why before a test runner ends it', async () => {
  const warned = deferred<string>();
  const onWarning = ({ message }: Error): void => {
    if (message.startsWith('Still waiting')) warned.resolve(message);
  };
  process.on('warning', onWarning);
  await using plane = await startOwnPlane({ crds: [fruitDefinition], clock: stepped(), patience: '1s' });
  const outside = deferred<void>();
  let isDone = false;
  plane.operator((manager) => {
    manager.controller(Fruit).reconcile(async () => {
      await outside.promise;
      isDone = true;
    });
  });
  await plane.client.create(Fruit, fruit('apple'));
  const look = (): boolean => {
    if (!isDone) throw new Error('not done');
    return true;
  };
  const waiting = plane.eventually(look, { within: '1000h' });
  const message = await warned.promise;
  process.off('warning', onWarning);
  outside.resolve();
  await waiting;
  expect(message).toMatch(
    /^Still waiting after .* s of the plane’s clock \(\d+(\.\d)? s\): not done\nNot idle: fruit has 1/,
  );
});

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: Error) => error,
  );
}

test('an operator that cannot start fails whoever waits', async () => {
  await using plane = await startControlPlane({ clock: stepped() });
  plane.operator(() => {
    throw new Error('no such luck');
  });
  await expect(plane.untilIdle()).rejects.toThrow('no such luck');
});

describe.each([1, 2])('an operator that crashes after write %i', (crashAfterWrite) => {
  test('is followed by another that finishes the work', async () => {
    await using plane = await startControlPlane({
      crds: [fruitDefinition],
      objects: [fruit('apple')],
      clock: stepped(),
    });
    const operator = plane.operator(addFruitController, { crashAfterWrite });
    await plane.untilIdle();
    expect(operator.starts).toBe(2);
    expect((await plane.client.get(Fruit, apple)).status).toEqual({ ripe: true });
    expect(plane.requests.writes({ actor: 'operator', verb: 'create' })).toHaveLength(1);
  });
});

test('faults strike as often as they were asked to, and an operator gets over them', async () => {
  await using plane = await startControlPlane({ crds: [fruitDefinition], clock: stepped() });
  const lost = plane.faults.inject({ actor: 'operator', verb: 'create' }, loseAnswer());
  const refused = plane.faults.inject({ actor: 'operator', resource: 'fruits/status' }, conflict(), { times: 3 });
  plane.operator(addFruitController);
  await plane.client.create(Fruit, fruit('apple'));
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  expect([lost.hits, refused.hits]).toEqual([1, 3]);
});

test('two runs with the same seed ask the same things', async () => {
  const run = async (): Promise<string> => {
    await using plane = await startOwnPlane({
      crds: [fruitDefinition],
      objects: [fruit('apple'), fruit('pear', 80)],
      controllers: ['garbage-collector-controller', 'namespace-controller'],
      clock: stepped(),
      seed: 7,
    });
    plane.operator(addFruitController);
    await plane.untilIdle();
    await plane.client.delete(Fruit, apple);
    await plane.untilGone(ConfigMap, label);
    await plane.clock.advance('20m');
    return plane.requests.toString();
  };
  const first = await run();
  expect(await run()).toBe(first);
  expect(first.split('\n').length).toBeGreaterThan(20);
});

test('what does not happen is told with what differs', async () => {
  await using plane = await startOwnPlane({
    crds: [fruitDefinition],
    objects: [fruit('apple')],
    clock: stepped(),
    patience: '1s',
  });
  await expect(plane.untilMatches(Fruit, apple, { spec: { weight: 7 }, status: { ripe: true } })).rejects.toThrow(
    /Fruit apple is not as expected[\s\S]*spec\.weight\n {4}- 7\n {4}\+ 120\n {2}status\n {4}- {"ripe":true}\n {4}\+ nothing/,
  );
});

test('a list of another length is said to be compared as a whole', async () => {
  const finalizers = ['example.com/a', 'example.com/b'];
  const object = { ...fruit('apple'), metadata: { ...fruit('apple').metadata, finalizers } };
  await using plane = await startOwnPlane({
    crds: [fruitDefinition],
    objects: [object],
    clock: stepped(),
    patience: '1s',
  });
  await expect(plane.untilMatches(Fruit, apple, { metadata: { finalizers: ['example.com/b'] } })).rejects.toThrow(
    '  metadata.finalizers (a list is compared as a whole: 1 expected, 2 found)\n    - ["example.com/b"]',
  );
});

test('the last requests that are told are not those of the test that waits', async () => {
  await using plane = await startOwnPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  plane.operator(addFruitController);
  const ripe = plane.untilMatches(Fruit, apple, { status: { ripe: false } }, { within: '1m' });
  await expect(ripe).rejects.toThrow(
    /Last requests:\n(?:.* operator .*\n)+.* operator PATCH .*fruits\/apple\/status 200/,
  );
});

test('a list of another length is said to be compared as a whole', async () => {
  const finalizers = ['example.com/a', 'example.com/b'];
  const object = { ...fruit('apple'), metadata: { ...fruit('apple').metadata, finalizers } };
  await using plane = await startOwnPlane({
    crds: [fruitDefinition],
    objects: [object],
    clock: stepped(),
    patience: '1s',
  });
  await expect(plane.untilMatches(Fruit, apple, { metadata: { finalizers: ['example.com/b'] } })).rejects.toThrow(
    '  metadata.finalizers (a list is compared as a whole: 1 expected, 2 found)\n    - ["example.com/b"]',
  );
});

test('the last requests that are told are not the watches that time renews', async () => {
  await using plane = await startOwnPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  plane.operator(addFruitController);
  const { message } = await rejection(plane.untilMatches(Fruit, apple, { status: { ripe: false } }, { within: '20m' }));
  expect(message).toMatch(/fruits\/apple\/status/);
  expect(message).not.toContain('watch=true');
});

test('a long complaint is told in short', async () => {
  await using plane = await startOwnPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  plane.operator((manager) => {
    manager.controller(Fruit).reconcile(async () => {
      throw new Error(`refused ${'right '.repeat(2_000)}`);
    });
  });
  const { message } = await rejection(plane.untilMatches(Fruit, apple, { status: { ripe: true } }, { within: '1m' }));
  expect(message).toMatch(/refused (?:right ){50,}.*….* \(\d+ times\)\n/);
  expect(message.length).toBeLessThan(4_000);
});

test('what is not collected is told with the controller that the plane does not run', async () => {
  const owned = {
    ...label,
    ownerReferences: [{ apiVersion: Fruit.apiVersion, kind: 'Fruit', name: 'apple', uid: 'a' }],
  };
  await using plane = await startOwnPlane({ clock: stepped() });
  await plane.client.create(ConfigMap, { metadata: owned });
  await plane.client.create(Namespace, { metadata: { name: 'orchard' } });
  await plane.client.delete(Namespace, { name: 'orchard' });
  await expect(plane.untilGone(ConfigMap, label, { within: '1m' })).rejects.toThrow(
    'ConfigMap apple-label still exists and was not deleted: it has an owner, and the plane runs no garbage-collector-controller',
  );
  await expect(plane.untilGone(Namespace, { name: 'orchard' }, { within: '1m' })).rejects.toThrow(
    'Namespace orchard still exists and is being deleted: the plane runs no namespace-controller',
  );
});

test('pods on simulated nodes do as the test says', async () => {
  const pods = ({ metadata }: { metadata: { name?: string } }) =>
    metadata.name === 'import' ? { runForMs: 60_000, exitCodes: [3] } : undefined;
  await using plane = await startControlPlane({
    nodes: 1,
    pods,
    controllers: ['node-lifecycle-controller'],
    objects: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'default' } }],
    clock: stepped(),
  });
  const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'app', image: 'example.com/app' }] };
  for (const name of ['import', 'other'])
    await plane.client.create(Pod, { metadata: { namespace: 'default', name }, spec });
  await plane.untilMatches(Pod, { namespace: 'default', name: 'import' }, { status: { phase: 'Failed' } });
  expect((await plane.client.get(Pod, { namespace: 'default', name: 'other' })).status?.phase).toBe('Running');
});
