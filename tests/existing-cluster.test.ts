import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Client, connect, loadConfig } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { startControlPlane, stepped } from '@pintle/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFruitController, Fruit, fruit } from './helpers/fruit.ts';
import { type RunningPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const apple = { namespace: 'default', name: 'apple' };
const DIST = join(import.meta.dirname, '..', 'packages', 'testing', 'dist');

let pintle: RunningPintle;
let client: Client;
let env: { readonly USE_EXISTING_CLUSTER: string; readonly KUBECONFIG: string };
beforeAll(async () => {
  pintle = await startPintle('--memory');
  env = { USE_EXISTING_CLUSTER: 'true', KUBECONFIG: pintle.kubeconfig };
  client = await connect(await loadConfig({ kubeconfig: pintle.kubeconfig }));
});
afterAll(async () => {
  await client.close();
  pintle.client.close();
  await stopPintle(pintle);
});

/** Lists the objects of the tests on the cluster. */
async function remains(): Promise<string[]> {
  const definitions = (await client.list(CustomResourceDefinition)).items.map(({ metadata }) => metadata.name ?? '');
  const maps = (await client.list(ConfigMap, { namespace: 'default' })).items.map(
    ({ metadata }) => metadata.name ?? '',
  );
  return [...definitions, ...maps].filter((name) => /fruit|apple/.test(name));
}

/** A file of tests in a process of its own: two tests, or one that hangs. */
function runFile(body: string): ChildProcess {
  const script = `
    const { startControlPlane, stepped } = await import(${JSON.stringify(`${DIST}/index.js`)});
    const { addFruitController, Fruit, fruit, fruitDefinition } = await import(${JSON.stringify(`${DIST}/testing/fruit.js`)});
    const apple = { namespace: 'default', name: 'apple' };
    const start = () => startControlPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
    ${body}`;
  const args = ['--input-type=module', '-e', script];
  return spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
}

const TWO_TESTS = `
  for (let test = 0; test < 2; test++) {
    const plane = await start();
    plane.operator(addFruitController);
    await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
    await plane.client.delete(Fruit, apple);
    await plane.close();
  }`;
const HANGING_TEST = `
  const plane = await start();
  plane.operator(addFruitController);
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  console.log('ready');
  setInterval(() => undefined, 1_000);`;

test('several files run on one cluster side by side, with the same names', async () => {
  const files = [runFile(TWO_TESTS), runFile(TWO_TESTS), runFile(TWO_TESTS)];
  const ends = await Promise.all(files.map(async (file) => (await once(file, 'close'))[0] as number));
  expect(ends).toEqual([0, 0, 0]);
  expect(await remains()).toEqual([]);
}, 180_000);

test('what a run that was killed has left behind goes before the next test begins', async () => {
  const file = runFile(HANGING_TEST);
  await once(file.stdout!, 'data');
  const written = async (): Promise<boolean> => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/pintle-testing';
    return JSON.stringify(await client.call({ method: 'GET', path })).includes('configmaps/apple-label');
  };
  await expect.poll(written, { timeout: 30_000 }).toBe(true);
  file.kill('SIGKILL');
  await once(file, 'close');
  expect(await remains()).not.toEqual([]);
  {
    await using plane = await startControlPlane({ env, clock: stepped() });
    expect(await remains()).toEqual([]);
    await plane.client.list(ConfigMap, { namespace: 'default' });
  }
}, 180_000);

test('a plane whose test timed out makes room for the next one', async () => {
  const options = { crds: [Fruit], objects: [fruit('apple')], clock: stepped(), env };
  await startControlPlane(options);
  {
    await using plane = await startControlPlane(options);
    plane.operator(addFruitController);
    await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  }
  expect(await remains()).toEqual([]);
}, 180_000);

test('definitions that are there already are updated, and stay', async () => {
  const older = structuredClone(Fruit.definition) as unknown as CustomResourceDefinition;
  const { schema } = older.spec.versions[0]!;
  delete (schema!.openAPIV3Schema!.properties as Record<string, unknown>).status;
  await client.create(CustomResourceDefinition, older);
  {
    await using plane = await startControlPlane({ crds: [Fruit], objects: [fruit('apple')], clock: stepped(), env });
    plane.operator(addFruitController);
    await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
    const again = plane.client.create(Fruit, fruit('apple'));
    await expect(again).rejects.toSatisfy(isAlreadyExists);
  }
  expect(await remains()).toEqual([older.metadata.name]);
  await client.delete(CustomResourceDefinition, { name: older.metadata.name ?? '' });
}, 180_000);
