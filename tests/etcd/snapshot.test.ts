import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock, SeededRandom } from '@pintle/async';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { KubernetesLayout, ValueEncryption } from '@pintle/kube-apiserver/storage';
import { EtcdSnapshotError, readEtcdSnapshot } from '@pintle/store-etcd/snapshot';
import { EtcdProcess, etcdVersions, findEtcd } from '@pintle/store-etcd/testing';
import { etcdSnapshot, startControlPlane } from '@pintle/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { inFolder, spawnPintle, startPintle, stopPintle } from '../helpers/pintle.ts';

const binary = findEtcd(etcdVersions[0]!);
const MAPS = '/api/v1/namespaces/default/configmaps';
const FRUITS = '/apis/example.com/v1/namespaces/default/fruits';
const DIGEST_BYTES = 32;

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'fruits.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'fruits', singular: 'fruit', kind: 'Fruit', listKind: 'FruitList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

/** Takes a snapshot as `etcdctl snapshot save` does, through etcd's gateway. */
async function takeSnapshot(endpoint: string): Promise<Buffer> {
  const response = await fetch(`${endpoint}/v3/maintenance/snapshot`, { method: 'POST', body: '{}' });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return Buffer.concat(lines.map((line) => Buffer.from(JSON.parse(line).result.blob ?? '', 'base64')));
}

function withDigest(database: Buffer): Buffer {
  return Buffer.concat([database, createHash('sha256').update(database).digest()]);
}

describe.skipIf(binary === undefined)('a snapshot of etcd', () => {
  let snapshot: Buffer;
  /** The objects that the server showed when it was taken. */
  let maps: readonly Item[] = [];
  beforeAll(async () => {
    await using etcd = await EtcdProcess.start({ binary: binary! });
    await inFolder(async (folder) => {
      const server = await startPintle(`--data=${folder}`, `--etcd-servers=${etcd.endpoints.join()}`);
      try {
        const send = async (method: string, path: string, body?: object) => {
          const { status, text } = await server.client.send(method, path, body);
          if (status >= 400) throw new Error(text);
          return JSON.parse(text);
        };
        await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
        const many = Array.from({ length: 400 }, (_, index) => `map-${index}`);
        for (const name of many) await send('POST', MAPS, configMap(name, { text: name.repeat(40) }));
        for (const name of many.slice(0, 40)) await send('DELETE', `${MAPS}/${name}`);
        for (const name of many.slice(40, 80)) await send('PUT', `${MAPS}/${name}`, configMap(name, { text: 'new' }));
        await send('POST', MAPS, configMap('large', { text: 'x'.repeat(300_000) }));
        const fruit = { apiVersion: 'example.com/v1', kind: 'Fruit', metadata: { name: 'apple' }, spec: { weight: 3 } };
        await send('POST', FRUITS, fruit);
        const secret = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'login' },
          stringData: { password: 'sweet' },
        };
        await send('POST', '/api/v1/namespaces/default/secrets', secret);
        maps = (await send('GET', MAPS)).items;
        snapshot = await takeSnapshot(etcd.endpoints[0]!);
      } finally {
        server.client.close();
        await stopPintle(server);
      }
    });
  }, 120_000);

  const about = ({ metadata: { name, uid, resourceVersion } }: Item) => `${name} ${uid} ${resourceVersion}`;
  const inFile = (content: Buffer, run: (file: string) => Promise<void>) =>
    inFolder(async (folder) => {
      const file = join(folder, 'cluster.db');
      writeFileSync(file, content);
      await run(file);
    });

  test('is a plane with the objects of the cluster, as they were', () =>
    inFile(snapshot, async (file) => {
      await using plane = await startControlPlane({ from: etcdSnapshot(file) });
      const { items } = await plane.client.list(ConfigMap, { namespace: 'default' });
      expect(items.map((item) => about(item as unknown as Item))).toEqual(maps.map(about));
      expect(items.find(({ metadata }) => metadata.name === 'map-50')!.data).toEqual({ text: 'new' });
      const secret = await plane.client.get(Secret, { namespace: 'default', name: 'login' });
      expect(Buffer.from(secret.data!.password as string, 'base64').toString()).toBe('sweet');
      const created = await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'after' } });
      const newest = Math.max(...maps.map(({ metadata }) => Number(metadata.resourceVersion)));
      expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(newest);
    }));

  test.each(['--memory', '--data'])(
    'is what pintle up %s begins with',
    (kind) =>
      inFile(snapshot, async (file) => {
        const folder = join(file, '..', 'data');
        const flags = kind === '--memory' ? ['--memory', `--kubeconfig=${folder}.kubeconfig`] : [`--data=${folder}`];
        const server = await startPintle(...flags, `--from-etcd-snapshot=${file}`);
        try {
          const { text } = await server.client.send('GET', MAPS);
          expect(
            JSON.parse(text)
              .items.filter((item: Item) => item.metadata.name !== 'kube-root-ca.crt')
              .map(about),
          ).toEqual(maps.filter((item) => item.metadata.name !== 'kube-root-ca.crt').map(about));
          expect(JSON.parse((await server.client.send('GET', `${FRUITS}/apple`)).text).spec).toEqual({ weight: 3 });
        } finally {
          server.client.close();
          await stopPintle(server);
        }
        if (kind === '--memory') return;
        const again = spawnPintle('up', '--port=0', `--data=${folder}`, `--from-etcd-snapshot=${file}`);
        expect(await again.exited).toBe(1);
        expect(again.output()).toContain('there is a store already');
      }),
    60_000,
  );

  const read = async (file: string) => {
    const layout = new KubernetesLayout({ prefix: '/registry/', encryption: await ValueEncryption.create() });
    return await readEtcdSnapshot(file, { prefix: '/registry/', layout, nowMs: realClock.now() });
  };

  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['a changed byte', (bytes) => flipped(bytes, bytes.length >> 1), 'its digest is wrong'],
    ['a changed digest', (bytes) => flipped(bytes, bytes.length - 1), 'its digest is wrong'],
    ['no end', (bytes) => bytes.subarray(0, bytes.length - 1000), 'its end is missing'],
    ['no last page', (bytes) => bytes.subarray(0, bytes.length - 4096), 'its digest is wrong'],
    ['no digest', (bytes) => bytes.subarray(0, bytes.length - DIGEST_BYTES), 'the database of a member'],
    ['another content', () => withDigest(Buffer.alloc(8192, 7)), 'it is not a database of etcd'],
    ['nothing in it', () => Buffer.alloc(0), 'it is too short'],
  ])('with %s is refused', (_, damage, problem) =>
    inFile(damage(snapshot), async (file) => {
      await expect(read(file)).rejects.toThrow(problem);
    }),
  );

  test(
    'that is damaged before its digest was made is refused, or read without what is damaged',
    () =>
      inFile(snapshot, async (file) => {
        const random = new SeededRandom(Number(process.env.PINTLE_SEED ?? 1));
        const database = readFileSync(file).subarray(0, -DIGEST_BYTES);
        let refused = 0;
        for (let round = 0; round < 60; round++) {
          const changed = Buffer.from(database);
          // The heads of pages decide where is read next.
          const page = 4096 * random.below(database.length / 4096);
          for (let at = 0; at < 8; at++) changed[page + random.below(64)] = random.below(256);
          writeFileSync(file, withDigest(changed));
          const outcome = await read(file).catch((error: unknown) => error);
          if (outcome instanceof Error) {
            expect(outcome).toBeInstanceOf(EtcdSnapshotError);
            refused++;
          }
        }
        expect(refused).toBeGreaterThan(5);
      }),
    60_000,
  );

  test('that does not exist is refused', async () => {
    await expect(etcdSnapshot('/nowhere/cluster.db')).rejects.toThrow('there is no file /nowhere/cluster.db');
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 1;
  return changed;
}
