import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { EtcdProcess, etcdVersions, findEtcd } from '@pintle/store-etcd/testing';
import { expect, test } from 'vitest';
import { inFolder, type RunningPintle, spawnPintle, startPintle, stopPintle } from '../helpers/pintle.ts';

const binary = findEtcd(etcdVersions[0]!);
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.com/main' }] },
    },
  },
});

test.skipIf(binary === undefined)(
  'two of pintle up on an etcd with TLS: one has the controllers, and the other goes on when it is killed',
  { timeout: 120_000 },
  () =>
    inFolder(async (folder) => {
      const path = (name: string) => join(folder, name);
      const tls = await writeCertificates(path);
      const flags = [
        '--client-cert-auth',
        `--trusted-ca-file=${path('ca.crt')}`,
        `--cert-file=${path('etcd.crt')}`,
        `--key-file=${path('etcd.key')}`,
      ];
      await using etcd = await EtcdProcess.start({ binary: binary!, flags, tls });
      const servers = `--etcd-servers=${etcd.endpoints.join()}`;
      const shared = [servers, `--etcd-cafile=${path('ca.crt')}`, '--etcd-prefix=/two'];
      const shown = [`--etcd-certfile=${path('client.crt')}`, `--etcd-keyfile=${path('client.key')}`];

      const stranger = spawnPintle('up', '--port=0', `--data=${path('none')}`, ...shared);
      expect(await stranger.exited).toBe(1);
      expect(stranger.output()).toContain('no etcd server answers');

      const start = (name: string) => startPintle(`--data=${path(name)}`, ...shared, ...shown);
      const first = await start('first');
      await expect.poll(() => holderOf(first), { timeout: 20_000 }).toMatch(/_/);
      const second = await start('second');
      try {
        const holder = await holderOf(second);
        expect((await first.client.send('POST', DEPLOYMENTS, deployment('one'))).status).toBe(201);
        await expect.poll(() => replicaSetsOf(second, 'one'), { timeout: 20_000 }).toBe(1);
        await stopPintle(first, 'SIGKILL');
        expect((await second.client.send('POST', DEPLOYMENTS, deployment('two'))).status).toBe(201);
        const killedMs = realClock.monotonic();
        await expect.poll(() => replicaSetsOf(second, 'two'), { timeout: 40_000 }).toBe(1);
        expect(await holderOf(second)).not.toBe(holder);
        expect(realClock.monotonic() - killedMs).toBeLessThan(30_000);
        expect((await second.client.send('GET', `${DEPLOYMENTS}/one`)).status).toBe(200);
      } finally {
        first.client.close();
        second.client.close();
        await stopPintle(first, 'SIGKILL');
        await stopPintle(second);
      }
    }),
);

async function holderOf({ client }: RunningPintle): Promise<string> {
  const { status, text } = await client.send('GET', LEASE);
  return status === 200 ? JSON.parse(text).spec.holderIdentity : '';
}

async function replicaSetsOf({ client }: RunningPintle, app: string): Promise<number> {
  const path = `/apis/apps/v1/namespaces/default/replicasets?labelSelector=app=${app}`;
  return JSON.parse((await client.send('GET', path)).text).items.length;
}

/** What etcd and its clients show each other. */
async function writeCertificates(path: (name: string) => string) {
  const nowMs = realClock.now();
  const authority = await createAuthority('etcd-ca', 1, nowMs);
  const server = { commonName: 'etcd', usage: 'server', hosts: ['127.0.0.1', 'localhost'], days: 1 } as const;
  const pairs = {
    ca: authority,
    etcd: await issueCertificate(authority, server, nowMs),
    client: await issueCertificate(authority, { commonName: 'pintle', usage: 'client', days: 1 }, nowMs),
  };
  for (const [name, { certificate, privateKey }] of Object.entries(pairs)) {
    writeFileSync(path(`${name}.crt`), certificate);
    writeFileSync(path(`${name}.key`), privateKey, { mode: 0o600 });
  }
  return { ca: authority.certificate, cert: pairs.client.certificate, key: pairs.client.privateKey };
}
