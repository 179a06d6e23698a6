import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ClientConfig } from '@pintle/client';
import { connect, loadConfig } from '@pintle/client';
import { SelfSubjectReview } from '@pintle/kinds/authentication/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningPintle } from '../helpers/pintle.ts';
import { inFolder, startPintle, stopPintle } from '../helpers/pintle.ts';

let pintle: RunningPintle;
let config: ClientConfig;
beforeAll(async () => {
  pintle = await startPintle('--memory');
  config = await loadConfig({ env: { KUBECONFIG: pintle.kubeconfig } });
});
afterAll(async () => {
  pintle.client.close();
  await stopPintle(pintle);
});

async function whoAmI(as: ClientConfig) {
  await using client = await connect(as);
  const { status } = await client.create(SelfSubjectReview, { metadata: {} });
  return status?.userInfo;
}

test('the kubeconfig of `pintle up` is all it takes', async () => {
  await using client = await connect(config);
  const { namespace } = config;
  await client.create(ConfigMap, { metadata: { namespace, name: 'made' }, data: { a: '1' } });
  expect((await client.get(ConfigMap, { namespace, name: 'made' })).data).toEqual({ a: '1' });
  expect(await whoAmI(config)).toMatchObject({ groups: expect.arrayContaining(['system:masters']) });
});

test('somebody else is impersonated, with groups and extra', async () => {
  const impersonate = { user: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { 'example.org/scopes': ['a', 'b'] } };
  expect(await whoAmI({ ...config, user: { ...config.user, impersonate } })).toEqual({
    username: 'jane',
    uid: '7',
    groups: ['dev', 'ops', 'system:authenticated'],
    extra: { 'example.org/scopes': ['a', 'b'] },
  });
});

test('certificates may come from files, and from an exec plugin', () =>
  inFolder(async (folder) => {
    const { ca, cert, key } = pintle.client.tls;
    for (const [name, text] of Object.entries({ ca, cert, key })) writeFileSync(join(folder, name), text);
    const file = (name: string) => ({ file: join(folder, name) });
    const cluster = { ...config.cluster, ca: file('ca') };
    const me = await whoAmI(config);
    expect(await whoAmI({ ...config, cluster, user: { cert: file('cert'), key: file('key') } })).toEqual(me);

    const apiVersion = 'client.authentication.k8s.io/v1';
    const status = { clientCertificateData: cert, clientKeyData: key };
    const printed = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
    const args = ['-e', `console.log(${JSON.stringify(printed)})`];
    const fields = { apiVersion, command: process.execPath, args, env: {}, provideClusterInfo: true } as const;
    expect(await whoAmI({ ...config, user: { exec: { ...fields, interactiveMode: 'Never' } } })).toEqual(me);
  }));

test('without the right authority nothing is said to the server', async () => {
  const { server, insecureSkipVerify } = config.cluster;
  await expect(whoAmI({ ...config, cluster: { server, insecureSkipVerify } })).rejects.toMatchObject({
    failure: { code: 'Unreachable', isSent: false },
  });
  expect(await whoAmI({ ...config, cluster: { server, insecureSkipVerify: true } })).toBeDefined();
});

test('a proxy is gone through, with its password', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url, headers }, socket: Socket) => {
    asked.push(url, headers['proxy-authorization']);
    const server = connectTcp(pintle.client.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(server).pipe(socket);
    });
    server.on('error', () => socket.destroy());
    socket.on('error', () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const through = { ...config.cluster, proxy: `http://jane:p%40ss@127.0.0.1:${port}` };
  expect(await whoAmI({ ...config, cluster: through })).toEqual(await whoAmI(config));
  const { host } = new URL(config.cluster.server);
  expect(asked).toEqual([host, `Basic ${Buffer.from('jane:p@ss').toString('base64')}`]);
  proxy.close();
});

test('the name in the certificate may be another than the address', async () => {
  const as = (tlsServerName: string) => whoAmI({ ...config, cluster: { ...config.cluster, tlsServerName } });
  expect(await as('kubernetes.default.svc')).toBeDefined();
  await expect(as('example.com')).rejects.toThrow('altnames');
});
