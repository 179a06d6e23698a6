import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { ClientConfig, PemSource } from '@pintle/client';
import { connect } from '@pintle/client';
import { SelfSubjectReview } from '@pintle/kinds/authentication/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { beforeAll, expect, test } from 'vitest';
import { useSocketCluster } from '../helpers/cluster.ts';
import { inFolder } from '../helpers/pintle.ts';

const cluster = useSocketCluster();
let config: ClientConfig;
beforeAll(() => {
  ({ config } = cluster());
});

async function whoAmI(as: ClientConfig) {
  await using client = await connect(as);
  const { status } = await client.create(SelfSubjectReview, { metadata: {} });
  return status?.userInfo;
}

test('a kubeconfig is all it takes', async () => {
  await using client = await connect(config);
  const { namespace } = config;
  await client.create(ConfigMap, { metadata: { namespace, name: 'made' }, data: { a: '1' } });
  expect((await client.get(ConfigMap, { namespace, name: 'made' })).data).toEqual({ a: '1' });
  expect(await whoAmI(config)).toMatchObject({ groups: expect.arrayContaining(['system:authenticated']) });
  await client.delete(ConfigMap, { namespace, name: 'made' });
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
    const file = (name: string, source: PemSource | undefined): PemSource | undefined => {
      if (source === undefined || 'file' in source) return source;
      writeFileSync(join(folder, name), source.data);
      return { file: join(folder, name) };
    };
    const me = await whoAmI(config);
    const [ca, cert, key] = [
      file('ca', config.cluster.ca),
      file('cert', config.user.cert),
      file('key', config.user.key),
    ];
    const user = { ...config.user, ...(cert && { cert }), ...(key && { key }) };
    expect(await whoAmI({ ...config, cluster: { ...config.cluster, ...(ca && { ca }) }, user })).toMatchObject(
      same(me),
    );

    const apiVersion = 'client.authentication.k8s.io/v1';
    const text = (source: PemSource | undefined) => source && 'file' in source && readFileSync(source.file, 'utf8');
    const status = cert
      ? { clientCertificateData: text(cert), clientKeyData: text(key) }
      : { token: config.user.token ?? text({ file: config.user.tokenFile ?? '' }) };
    const printed = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
    const args = ['-e', `console.log(${JSON.stringify(printed)})`];
    const fields = { apiVersion, command: process.execPath, args, env: {}, provideClusterInfo: true } as const;
    expect(await whoAmI({ ...config, user: { exec: { ...fields, interactiveMode: 'Never' } } })).toMatchObject(
      same(me),
    );
  }));

test('without the right authority nothing is said to the server', async () => {
  const { server } = config.cluster;
  const insecureSkipVerify = false;
  await expect(whoAmI({ ...config, cluster: { server, insecureSkipVerify } })).rejects.toMatchObject({
    failure: { code: 'Unreachable', isSent: false },
  });
  expect(await whoAmI({ ...config, cluster: { server, insecureSkipVerify: true } })).toBeDefined();
});

test('a proxy is gone through, with its password', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url, headers }, socket: Socket) => {
    asked.push(url, headers['proxy-authorization']);
    const { hostname, port } = new URL(config.cluster.server);
    const server = connectTcp(Number(port || 443), hostname.replace(/^\[|\]$/g, ''), () => {
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

test('a SOCKS proxy is gone through, with its password', async () => {
  const told: string[] = [];
  const { hostname, port } = new URL(config.cluster.server);
  const proxy = createTcpServer((socket) => {
    const replies = [
      [5, 2],
      [1, 0],
      [5, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    ];
    socket.on('error', () => undefined);
    socket.on('data', function answer(data: Buffer) {
      told.push(data.toString('latin1'));
      socket.write(Buffer.from(replies.shift()!));
      if (replies.length > 0) return;
      socket.off('data', answer);
      const server = connectTcp(Number(port || 443), hostname.replace(/^\[|\]$/g, ''));
      server.on('error', () => socket.destroy());
      socket.pipe(server).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const through = `socks5://jane:p%40ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  expect(await whoAmI({ ...config, cluster: { ...config.cluster, proxy: through } })).toEqual(await whoAmI(config));
  expect(told[1]).toBe('\x01\x04jane\x04p@ss');
  proxy.close();
});

test('the name in the certificate may be another than the address', async () => {
  const as = (tlsServerName: string) => whoAmI({ ...config, cluster: { ...config.cluster, tlsServerName } });
  expect(await as(await nameInCertificate(config.cluster.server))).toBeDefined();
  await expect(as('example.com')).rejects.toThrow('altnames');
});

/** Credentials may have names of their own in `extra`. */
function same(user: Awaited<ReturnType<typeof whoAmI>>) {
  return { username: user?.username, groups: user?.groups };
}

/** A name that the server's certificate has. */
function nameInCertificate(server: string): Promise<string> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const options = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443), rejectUnauthorized: false };
    const socket = connectTls(options, () => {
      const names = socket.getPeerCertificate().subjectaltname ?? '';
      socket.destroy();
      resolve(/DNS:([^,]+)/.exec(names)?.[1] ?? hostname);
    });
    socket.once('error', reject);
  });
}
