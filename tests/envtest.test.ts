import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SelfSubjectAccessReview } from '@pintle/kinds/authorization/v1';
import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import { type ControlPlaneOptions, startControlPlane, stepped } from '@pintle/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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
  }, 60_000);

  test('ten minutes pass without waiting for a server that has nothing to say', async () => {
    const options = { crds: [Fruit], objects: [fruit('apple')], clock: stepped(), env: { KUBEBUILDER_ASSETS: assets } };
    await using plane = await startControlPlane(options);
    plane.operator(addFruitController, { leaderElection: 'fruits' });
    await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
    const [place, beganMs] = [plane.requests.length, performance.now()];
    await plane.clock.advance('10m');
    expect(plane.requests.since(place).all({ actor: 'operator', resource: 'leases' }).length).toBeGreaterThan(290);
    // Each renewal of the lease took a fifth of a second: a minute in all.
    expect(performance.now() - beganMs).toBeLessThan(40_000);
    await plane.client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: 1 } } });
    await plane.clock.advance('1s');
    expect((await plane.client.get(Fruit, apple)).status?.ripe).toBe(false);
  }, 120_000);

  test('end when the suite that started them is killed', async () => {
    const port = await freePort();
    const flags = [`--listen-client-urls=http://127.0.0.1:${port}`];
    const server = [
      `--cert-dir=${join(folder, 'certs')}`,
      `--etcd-servers=http://127.0.0.1:${port}`,
      '--secure-port=0',
    ];
    const script = `
      const { spawn } = require('node:child_process');
      const all = [[${JSON.stringify(join(assets, 'etcd'))}, ${JSON.stringify(flags)}],
        [${JSON.stringify(join(assets, 'kube-apiserver'))}, ${JSON.stringify(server)}]];
      console.log(all.map(([path, args]) => spawn(path, args, { stdio: 'ignore' }).pid).join(' '));`;
    const suite = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printedPids] = await once(suite.stdout, 'data');
    const pids = String(printedPids).trim().split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    suite.kill('SIGKILL');
    await vi.waitUntil(() => !pids.some(isAlive), { timeout: 20_000, interval: 50 });
  });

  test('a server that does not start is told of with what it said', async () => {
    const env = { TEST_ASSET_ETCD: join(assets, 'etcd'), TEST_ASSET_KUBE_APISERVER: join(folder, 'broken') };
    await writeFile(env.TEST_ASSET_KUBE_APISERVER, '#!/bin/sh\necho no such luck; exit 1\n', { mode: 0o755 });
    await expect(startControlPlane({ env })).rejects.toThrow(/it exited\. Its output:\nno such luck/);
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
