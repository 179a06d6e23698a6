import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inFolder, type Pintle, type RunningPintle, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const DEFAULT = '/api/v1/namespaces/default';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const ELECTION = [
  '--leader-elect-lease-duration=2s',
  '--leader-elect-renew-deadline=1500ms',
  '--leader-elect-retry-period=200ms',
];
const patience = { timeout: 30_000 };

test(
  'two controller managers on one server: one leads, and the other goes on when it is killed',
  {
    timeout: 90_000,
  },
  () =>
    inFolder(async (folder) => {
      const server = await startPintle('--data', join(folder, 'data'), '--controllers=');
      const flags = [`--kubeconfig=${server.kubeconfig}`, '--nodes=1', ...ELECTION];
      const managers: Pintle[] = [];
      try {
        expect(await createDeployment(server, 'early')).toBe(201);
        managers.push(spawnPintle('controller-manager', ...flags));
        await expect.poll(() => readyReplicas(server, 'early'), patience).toBe(1);
        const holder = await holderOf(server);
        managers.push(spawnPintle('controller-manager', ...flags));
        await stopPintle(managers[0]!, 'SIGKILL');
        expect(await createDeployment(server, 'late')).toBe(201);
        await expect.poll(() => readyReplicas(server, 'late'), patience).toBe(1);
        expect(await holderOf(server)).not.toBe(holder);
        expect(await stopPintle(managers[1]!)).toBe(0);
        expect(await holderOf(server)).toBe('');
      } finally {
        for (const manager of managers) await stopPintle(manager, 'SIGKILL');
        server.client.close();
        await stopPintle(server);
      }
    }),
);

test('a controller manager signs tokens with the key of the servers, and says what it cannot use', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const server = await startPintle('--data', data, '--controllers=');
    const fails = async (...flags: string[]): Promise<string> => {
      const pintle = spawnPintle('controller-manager', `--kubeconfig=${server.kubeconfig}`, ...flags);
      expect([await pintle.exited, pintle.output()]).toEqual([1, expect.anything()]);
      return pintle.output();
    };
    let manager: Pintle | undefined;
    try {
      expect(await fails('--controllers=unknown')).toContain('unknown');
      expect(await fails('--cluster-signing-cert-file=x')).toContain('without the other');
      expect(await fails('--leader-elect=maybe')).toContain('neither true nor false');
      writeFileSync(join(folder, 'bad.key'), 'not a key');
      expect(await fails(`--service-account-private-key-file=${folder}/bad.key`)).toContain(
        'Cannot use --service-account',
      );
      const key = join(data, 'service-account.key');
      const account = { metadata: { name: 'robot' } };
      expect((await server.client.send('POST', `${DEFAULT}/serviceaccounts`, account)).status).toBe(201);
      // The server makes its key with the first token.
      const first = await server.client.send('POST', `${DEFAULT}/serviceaccounts/robot/token`, {});
      expect([first.status, first.text]).toEqual([201, expect.anything()]);
      const flags = [`--service-account-private-key-file=${key}`, '--leader-elect=false'];
      manager = spawnPintle('controller-manager', `--kubeconfig=${server.kubeconfig}`, ...flags);
      const annotations = { 'kubernetes.io/service-account.name': 'robot' };
      const secret = { metadata: { name: 'token', annotations }, type: 'kubernetes.io/service-account-token' };
      expect((await server.client.send('POST', `${DEFAULT}/secrets`, secret)).status).toBe(201);
      const tokenOf = async () =>
        JSON.parse((await server.client.send('GET', `${DEFAULT}/secrets/token`)).text).data?.token;
      await expect.poll(tokenOf, patience).toBeDefined();
      const token = Buffer.from(await tokenOf(), 'base64').toString();
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
      const reviewed = await server.client.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
      expect(JSON.parse(reviewed.text).status).toMatchObject({
        authenticated: true,
        user: { username: 'system:serviceaccount:default:robot' },
      });
    } finally {
      if (manager !== undefined) await stopPintle(manager, 'SIGKILL');
      server.client.close();
      await stopPintle(server);
    }
  }));

async function createDeployment({ client }: RunningPintle, name: string): Promise<number> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'pause' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return (await client.send('POST', DEPLOYMENTS, { metadata: { name }, spec })).status;
}

async function readyReplicas({ client }: RunningPintle, name: string): Promise<number> {
  return JSON.parse((await client.send('GET', `${DEPLOYMENTS}/${name}`)).text).status?.readyReplicas ?? 0;
}

async function holderOf({ client }: RunningPintle): Promise<string> {
  const { status, text } = await client.send('GET', LEASE);
  return status === 200 ? (JSON.parse(text).spec.holderIdentity ?? '') : '';
}
