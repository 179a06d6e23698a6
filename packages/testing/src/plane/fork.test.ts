import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, loadConfig } from '@pintle/client';
import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
import { isForbidden } from '@pintle/machinery/errors';
import { stringifyYaml } from '@pintle/machinery/yaml';
import { expect, test } from 'vitest';
import { startControlPlane, stepped } from '../index.ts';
import { addFruitController, Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const apple = { namespace: 'default', name: 'apple' };
const options = { crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() };

test('a fork begins with what the plane held, at its time, and goes its own way', async () => {
  await using plane = await startOwnPlane(options);
  await plane.clock.advance('3h');
  await using fork = await plane.fork();
  expect(fork.clock.now()).toBe(plane.clock.now());
  await fork.client.delete(Fruit, apple);
  await plane.client.create(Fruit, fruit('pear'));

  const names = async ({ client }: typeof plane): Promise<unknown[]> =>
    (await client.list(Fruit)).items.map(({ metadata }) => metadata.name);
  expect([await names(plane), await names(fork)]).toEqual([['apple', 'pear'], []]);
});

test('planes that begin with one snapshot do the same, and give uids of their own', async () => {
  await using plane = await startOwnPlane(options);
  const snapshot = await plane.snapshot();
  const run = async (): Promise<string> => {
    await using from = await startOwnPlane({ from: snapshot });
    from.operator(addFruitController);
    await from.untilIdle();
    return from.requests.toString();
  };
  const [first, second] = [await run(), await run()];
  expect(second).toBe(first);
  plane.operator(addFruitController);
  await plane.untilIdle();
  const { metadata } = await plane.client.get(ConfigMap, { ...apple, name: 'apple-label' });
  expect(first).not.toContain(metadata.uid);
});

test('definitions and objects are read from files and folders', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-manifests-'));
  try {
    await writeFile(join(folder, 'a.yaml'), `${stringifyYaml(fruitDefinition)}---\n# nothing\n`);
    await writeFile(join(folder, 'b.json'), JSON.stringify({ kind: 'List', items: [fruit('apple'), fruit('pear')] }));
    await using plane = await startControlPlane({ crds: [folder], objects: [join(folder, 'b.json')] });
    expect((await plane.client.list(Fruit)).items).toHaveLength(2);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('users may do what their rules say', async () => {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  await using plane = await startControlPlane({ users: { alice: { groups: ['dev'], rules } } });
  const alice = plane.as('alice');
  await alice.list(ConfigMap, { namespace: 'default' });
  await expect(alice.list(Namespace)).rejects.toSatisfy(isForbidden);
  expect(plane.requests.all({ actor: 'alice' }).map(({ status }) => status)).toEqual([200, 403]);
});

test('the log tells which rights were needed', async () => {
  await using plane = await startControlPlane(options);
  const operator = plane.operator(addFruitController);
  await plane.untilIdle();
  const { rules = [] } = operator.manager.clusterRole();
  plane.requests.assertGranted(rules, { actor: 'operator' });
  const few = rules.filter(({ resources = [] }) => !resources.includes('fruits/status'));
  expect(() => plane.requests.assertGranted(few, { actor: 'operator' })).toThrow('patch fruits/status.test.pintle.dev');
});

test('an operator that may not do what it needs is told so', async () => {
  await using plane = await startOwnPlane({ ...options, users: { weak: { rules: [] } } });
  plane.operator(addFruitController, { user: 'weak' });
  const waiting = plane.untilMatches(Fruit, apple, { status: { ripe: true } }, { within: '30s' });
  await expect(waiting).rejects.toThrow(/Cannot list or watch objects; retrying.*forbidden: User \\"weak\\"/);
});

test('others join through a kubeconfig', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-plane-'));
  try {
    await using plane = await startOwnPlane(options);
    const file = join(folder, 'kubeconfig');
    await writeFile(file, await plane.kubeconfig());
    await using client = await connect(await loadConfig({ kubeconfig: file }), { userAgent: 'stranger/1.0' });
    expect((await client.get(Fruit, apple)).spec).toEqual({ weight: 120 });
    expect(plane.requests.all({ actor: 'stranger' })).toHaveLength(1);
    await writeFile(file, await plane.kubeconfig({ user: 'bob' }));
    await using bob = await connect(await loadConfig({ kubeconfig: file }));
    await expect(bob.get(Fruit, apple)).rejects.toSatisfy(isForbidden);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('no test runner is needed', async () => {
  const script = join(import.meta.dirname, '..', 'testing', 'node-test.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', script]);
  expect(stdout).toMatch(/^# pass 2$/m);
});
