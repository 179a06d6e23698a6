import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SelfSubjectAccessReview } from '@pintle/kinds/authorization/v1';
import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import { type ControlPlaneOptions, startControlPlane } from '@pintle/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFruitController, Fruit, fruit } from './helpers/fruit.ts';
import { printed, spawnPintle } from './helpers/pintle.ts';

const run = promisify(execFile);
const apple = { namespace: 'default', name: 'apple' };

let folder = '';
let assets = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pintle-assets-'));
  assets = join(folder, 'bin dir');
  const pintle = spawnPintle('envtest-assets', assets);
  await printed(pintle, /export KUBEBUILDER_ASSETS=/);
  expect(await pintle.exited).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

/** What a suite does, whichever server it runs on. */
async function suite(options: ControlPlaneOptions): Promise<void> {
  await using plane = await startControlPlane({ crds: [Fruit], objects: [fruit('apple')], ...options });
  plane.operator(addFruitController);
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  await plane.untilIdle();
  plane.requests.assertWrites(1, { actor: 'operator', resource: 'fruits/status' });
  await expect(plane.as('stranger').list(Namespace)).rejects.toSatisfy(isForbidden);
  await expect(plane.snapshot()).rejects.toThrow('the server is not in this process');
}

describe('envtest assets', () => {
  test('say what envtest looks for', async () => {
    const etcd = await run(join(assets, 'etcd'), ['--help']);
    expect(etcd.stdout).toMatch(/^\s*--unsafe-no-fsync\b/m);
    const server = await run(join(assets, 'kube-apiserver'), ['--help']);
    expect(server.stdout + server.stderr).not.toMatch(/^\s*--insecure-port\b/m);
    expect((await stat(join(assets, 'kube-apiserver'))).mode & 0o111).toBe(0o111);
  });

  test('run a suite as the binaries do, each time on an empty store', async () => {
    const env = { KUBEBUILDER_ASSETS: assets };
    await suite({ env });
    await using plane = await startControlPlane({ env });
    await expect(plane.client.list(Fruit)).rejects.toSatisfy(isNotFound);
    const spec = { resourceAttributes: { verb: '*', group: '*', resource: '*' } };
    const review = await plane.client.create(SelfSubjectAccessReview, { metadata: {}, spec });
    expect(review.status?.allowed).toBe(true);
    await plane.client.get(Namespace, { name: 'default' });
  });

  test('a server that does not start is told of with what it said', async () => {
    const env = { TEST_ASSET_ETCD: join(assets, 'etcd'), TEST_ASSET_KUBE_APISERVER: join(folder, 'broken') };
    await writeFile(env.TEST_ASSET_KUBE_APISERVER, '#!/bin/sh\necho no such luck; exit 1\n', { mode: 0o755 });
    await expect(startControlPlane({ env })).rejects.toThrow(/it ended\. It said:\nno such luck/);
  });
});

test('a suite runs on an existing cluster, and leaves nothing behind', async () => {
  await using cluster = await startControlPlane({ env: {} });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, await cluster.kubeconfig());
  await suite({ env: { USE_EXISTING_CLUSTER: 'true', KUBECONFIG: kubeconfig } });
  await cluster.eventually(async () => {
    const error = await cluster.client.list(Fruit).catch((caught: unknown) => caught);
    return isNotFound(error);
  });
  const { items } = await cluster.client.list(ConfigMap, { namespace: 'default' });
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('apple');
});
