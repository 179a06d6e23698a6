import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEtcdStore } from '@pintle/store-etcd';
import { EtcdProcess, etcdVersions, findEtcd } from '@pintle/store-etcd/testing';
import { expect, test } from 'vitest';
import { type Client, inFolder, spawnPintle, startPintle, stopPintle } from '../helpers/pintle.ts';

const binary = findEtcd(etcdVersions[0]!);
const encryption = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    {
      resources: ['secrets'],
      providers: [{ secretbox: { keys: [{ name: 'one', secret: Buffer.alloc(32, 7).toString('base64') }] } }],
    },
  ],
};
const DEFAULT = '/api/v1/namespaces/default';

test.skipIf(binary === undefined)(
  'objects move into an etcd and back, with their uids, and revisions only grow',
  { timeout: 120_000 },
  () =>
    inFolder(async (folder) => {
      const path = (name: string) => join(folder, name);
      await using etcd = await EtcdProcess.start({ binary: binary! });
      const shared = [`--etcd-servers=${etcd.endpoints.join()}`, '--etcd-prefix=/moved'];
      const config = `--encryption-provider-config=${path('encryption.json')}`;
      writeFileSync(path('encryption.json'), JSON.stringify(encryption));

      const first = await startPintle(`--data=${path('data')}`);
      for (let i = 0; i < 250; i++) await create(first.client, 'configmaps', { metadata: { name: `map-${i}` } });
      await create(first.client, 'secrets', { metadata: { name: 'login' }, stringData: { password: 'sweet' } });
      const event = { metadata: { name: 'seen' }, involvedObject: { namespace: 'default', kind: 'Pod', name: 'a' } };
      await create(first.client, 'events', event);
      await create(first.client, 'services', nodePortService('ports', 30_100));
      const before = await listed(first.client);
      expect(await run('migrate', 'to-etcd', `--data=${path('data')}`, ...shared)).toEqual([
        1,
        expect.stringContaining('it is in use'),
      ]);
      await stop(first);

      await leaveHalfMigrated(etcd.endpoints);
      expect(await run('up', '--port=0', `--data=${path('a')}`, ...shared, config)).toEqual([
        1,
        expect.stringContaining('a migration into it was cut short'),
      ]);
      const toEtcd = ['migrate', 'to-etcd', `--data=${path('data')}`, ...shared, config];
      expect(await run(...toEtcd)).toEqual([0, expect.stringMatching(/Copied \d+ objects into etcd/)]);
      expect(await run(...toEtcd)).toEqual([1, expect.stringContaining('there are objects under this prefix')]);

      const second = await startPintle(`--data=${path('b')}`, ...shared, config);
      const moved = await listed(second.client);
      expect(moved.objects).toEqual(before.objects);
      expect(moved.oldest).toBeGreaterThan(before.revision);
      await create(second.client, 'configmaps', { metadata: { name: 'added' } });
      expect(await claimOf(second.client, 30_100)).toBe(422);
      await create(second.client, 'services', nodePortService('more-ports', 30_101));
      const last = await listed(second.client);
      await stop(second);

      const fromEtcd = ['migrate', 'from-etcd', `--data=${path('back')}`, ...shared, config];
      expect(await run(...fromEtcd)).toEqual([0, expect.stringMatching(/Copied \d+ objects into/)]);
      expect(await run(...fromEtcd)).toEqual([1, expect.stringContaining('there is a store already')]);
      const third = await startPintle(`--data=${path('back')}`);
      const returned = await listed(third.client);
      expect(returned.objects).toEqual(last.objects);
      expect(returned.oldest).toBe(last.oldest);
      expect(returned.revision).toBeGreaterThanOrEqual(last.revision);
      const kept = JSON.parse((await third.client.send('GET', `${DEFAULT}/secrets/login`)).text);
      expect(Buffer.from(kept.data.password, 'base64').toString()).toBe('sweet');
      expect([await claimOf(third.client, 30_100), await claimOf(third.client, 30_101)]).toEqual([422, 422]);
      expect(readFileSync(path('back/secrets.key'), 'utf8')).toContain('"keys"');
      await stop(third);
      expect(existsSync(path('data/store'))).toBe(true);
    }),
);

/** Leaves what a migration leaves that is killed in the middle. */
async function leaveHalfMigrated(endpoints: readonly string[]): Promise<void> {
  await using store = await openEtcdStore({ endpoints, prefix: '/moved/' });
  const put = (key: string) => ({ type: 'put', key, value: Buffer.from('half') }) as const;
  await store.commit([put('_pintle/migrating')]);
  for (let batch = 0; batch < 3; batch++)
    await store.commit(Array.from({ length: 100 }, (_, i) => put(`configmaps/default/left-${batch}-${i}`)));
}

async function create(client: Client, plural: string, object: object): Promise<void> {
  const { status, text } = await client.send('POST', `${DEFAULT}/${plural}`, object);
  expect([status, text]).toEqual([201, expect.anything()]);
}

function nodePortService(name: string, nodePort: number) {
  return { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] } };
}

/** Returns the status of a response to another service with a node port. */
async function claimOf(client: Client, nodePort: number): Promise<number> {
  return (await client.send('POST', `${DEFAULT}/services`, nodePortService('another', nodePort))).status;
}

interface Listed {
  /** Without their resourceVersions. */
  readonly objects: unknown[];
  /** The lowest resourceVersion of an object. */
  readonly oldest: number;
  readonly revision: number;
}

async function listed(client: Client): Promise<Listed> {
  const objects: { metadata: { resourceVersion?: string } }[] = [];
  let revision = 0;
  for (const plural of ['configmaps', 'secrets', 'events']) {
    const list = JSON.parse((await client.send('GET', `${DEFAULT}/${plural}`)).text);
    objects.push(...list.items.filter(isMoved));
    revision = Number(list.metadata.resourceVersion);
  }
  const versions = objects.map(({ metadata }) => Number(metadata.resourceVersion));
  for (const { metadata } of objects) delete metadata.resourceVersion;
  return { objects, oldest: Math.min(...versions), revision };
}

/** Each data folder has a certificate authority of its own, which the controllers publish in a ConfigMap. */
function isMoved({ metadata }: { metadata: { name: string } }): boolean {
  return metadata.name !== 'kube-root-ca.crt';
}

async function stop(server: Awaited<ReturnType<typeof startPintle>>): Promise<void> {
  server.client.close();
  await stopPintle(server);
}

async function run(...args: string[]): Promise<[number | string, string]> {
  const pintle = spawnPintle(...args);
  return [await pintle.exited, pintle.output()];
}
