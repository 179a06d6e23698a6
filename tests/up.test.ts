import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createAuthority } from '@pintle/pki';
import { expect, test } from 'vitest';
import { Client, inFolder, printed, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const MAPS = '/api/v1/namespaces/default/configmaps';

test('pintle up keeps objects and credentials from one start to the next', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const first = await startPintle('--data', data);
    expect(first.output()).toContain('nodes      none: pods stay Pending; add nodes with --nodes\n');
    expect((await first.client.send('POST', MAPS, configMap('kept'))).status).toBe(201);
    first.client.close();
    expect(await stopPintle(first, 'SIGINT')).toBe(0);

    const credentials = readFileSync(join(data, 'credentials.json'), 'utf8');
    for (const file of ['credentials.json', 'kubeconfig', 'audit.log']) {
      expect(statSync(join(data, file)).mode & 0o077, file).toBe(0);
    }
    expect(statSync(data).mode & 0o077).toBe(0);

    const second = await startPintle('--data', data);
    expect((await second.client.send('GET', `${MAPS}/kept`)).status).toBe(200);
    second.client.close();
    expect(await stopPintle(second)).toBe(0);
    expect(readFileSync(join(data, 'credentials.json'), 'utf8')).toBe(credentials);
  }));

test('pintle up says in one line why it cannot start', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const running = await startPintle('--data', data);
    const { port } = running.client;
    const fails = async (...args: string[]): Promise<string> => {
      const pintle = spawnPintle('up', ...args);
      expect(await pintle.exited).toBe(1);
      expect(pintle.output().trim().split('\n')).toHaveLength(1);
      return pintle.output();
    };
    expect(await fails('--data', data, '--port', '0')).toContain('Stop that server first');
    expect(await fails('--memory', '--port', String(port))).toContain(`Cannot listen on 127.0.0.1:${port}`);
    const unknown = await fails('--memory', '--controllers', '*,jobs');
    expect(unknown).toContain('Cannot run controller "jobs": the names are *, ');
    expect(unknown).toContain('job-controller');
    running.client.close();
    await stopPintle(running);

    chmodSync(join(data, 'credentials.json'), 0o644);
    expect(await fails('--data', data, '--port', '0')).toContain('chmod 600');
    chmodSync(join(data, 'credentials.json'), 0o600);
    writeFileSync(join(folder, 'mine'), 'apiVersion: v1\nkind: Config\n');
    expect(await fails('--data', join(folder, 'mine'), '--port', '0')).toContain('a file with this name exists');
    const args = ['--data', data, '--port', '0', '--kubeconfig', join(folder, 'mine')];
    expect((await fails(...args)).includes('did not write')).toBe(true);
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('apiVersion: v1\nkind: Config\n');
  }));

test('without controllers nobody holds their lease, and Java clients can read the key of the kubeconfig', async () => {
  const pintle = await startPintle('--memory', '--controllers', '', '--nodes', '1');
  // Nodes run all the same.
  while ((await pintle.client.send('GET', '/api/v1/nodes/node-0')).status !== 200);
  const lease = await pintle.client.send(
    'GET',
    '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
  );
  expect(lease.status).toBe(404);
  const [, key = ''] = /client-key-data: (\S+)/.exec(readFileSync(pintle.kubeconfig, 'utf8')) ?? [];
  expect(Buffer.from(key, 'base64').toString()).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
  pintle.client.close();
  await stopPintle(pintle);
});

test('a second signal ends it at once', async () => {
  const pintle = await startPintle('--memory');
  const folder = join(pintle.kubeconfig, '..');
  // A connection that never speaks keeps the drain waiting for its handshake; a request that never ends does too.
  const socket = connect(pintle.client.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  pintle.process.kill('SIGINT');
  pintle.process.kill('SIGINT');
  expect([0, 130]).toContain(await pintle.exited);
  socket.destroy();
  pintle.client.close();
  if (existsSync(folder)) execFileSync('rm', ['-r', folder]);
});

test('pintle apiserver does not start without what flags that protect ask for', async () => {
  const refused = spawnPintle(
    'apiserver',
    '--memory',
    '--secure-port=0',
    '--authentication-config=/nope',
    '--egress-selector-config-file=/nope',
    '--admission-control-config-file=/nope',
    '--authorization-webhook-config-file=/nope',
  );
  expect(await refused.exited).toBe(1);
  for (const flag of ['authentication-config', 'egress-selector-config-file', 'authorization-webhook-config-file'])
    expect(refused.output()).toContain(`--${flag}=/nope: `);
  for (const flag of [
    '--authorization-config=/nope',
    '--tls-min-version=9',
    '--enable-admission-plugins=EventRateLimit',
  ]) {
    const other = spawnPintle('apiserver', '--memory', '--secure-port=0', flag);
    expect(await other.exited).toBe(1);
    expect(other.output()).toContain(`Cannot use ${flag}: `);
  }
});

test('pintle apiserver stands in for kube-apiserver under envtest', () =>
  inFolder(async (folder) => {
    const help = spawnPintle('apiserver', '--help');
    expect(await help.exited).toBe(0);
    expect(help.output()).not.toMatch(/^\s*--insecure-port\b/m);

    const refused = spawnPintle('apiserver', '--etcd-servers=http://127.0.0.1:1', '--secure-port=0');
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toContain('no etcd server answers');

    await mkdir(join(folder, 'certs'));
    const signer = await createAuthority('envtest', 7, Date.now());
    writeFileSync(join(folder, 'certs', 'sa-signer.crt'), signer.certificate);
    writeFileSync(join(folder, 'certs', 'sa-signer.key'), signer.privateKey);
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(join(folder, 'tokens'), 'secret-token,jane,1,"system:masters"\n');
    const server = spawnPintle(
      'apiserver',
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${join(folder, 'certs')}`,
      '--disable-admission-plugins=ServiceAccount',
      '--etcd-servers=http://127.0.0.1:2379',
      '--secure-port=0',
      '--service-account-issuer=https://127.0.0.1:6443/',
      `--service-account-key-file=${join(folder, 'certs', 'sa-signer.crt')}`,
      `--service-account-signing-key-file=${join(folder, 'certs', 'sa-signer.key')}`,
      '--service-cluster-ip-range=10.3.0.0/24',
      '--advertise-address=192.0.2.5',
      '--vmodule=httplog=10',
      '--v',
      '5',
      `--data=${join(folder, 'data')}`,
      `--kubeconfig-out=${kubeconfig}`,
      `--token-auth-file=${join(folder, 'tokens')}`,
    );
    const [, port = ''] = await printed(server, /"address":"https:\/\/127\.0\.0\.1:(\d+)"/);
    expect(server.output()).toContain('"flag":"--v 5"');
    const anonymous = get({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, agent: false });
    const [health] = await once(anonymous, 'response');
    expect(health.statusCode).toBe(200);
    health.resume();
    expect(existsSync(join(folder, 'certs', 'apiserver.crt'))).toBe(true);

    const client = new Client(kubeconfig);
    expect((await client.send('GET', '/api/v1/namespaces/default')).status).toBe(200);
    const told = async (path: string) => (await client.send('GET', `/api/v1/namespaces/default/${path}`)).text;
    expect(await told('services/kubernetes')).toContain('"clusterIP":"10.3.0.1"');
    expect(await told('endpoints/kubernetes')).toContain('"ip":"192.0.2.5"');
    client.close();
    expect(await stopPintle(server)).toBe(0);
    expect(server.output()).not.toContain('secret-token');
  }));
