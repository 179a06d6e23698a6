import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { afterEach, expect, test, vi } from 'vitest';
import { register } from '../../testing/aggregated-backend.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const GROUP = 'remote.example.com';
const ROOT = `/apis/${GROUP}/v1`;
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const SERVICES = '/api/v1/namespaces/default/services';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const THINGS = `${ROOT}/namespaces/default/things`;

afterEach(() => void vi.restoreAllMocks());

/** An API server with a certificate for the service `backend`, registered by way of `localhost`. */
async function openRemote() {
  const authority = await createAuthority('backends', 1, Date.now());
  const spec = { commonName: 'b', hosts: ['backend.default.svc'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, spec, Date.now());
  const seen: string[] = [];
  const answer: RequestListener = ({ url }, response) => {
    seen.push(url!);
    const resources = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1`, resources: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(resources));
  };
  const server = createServer({ key: pair.privateKey, cert: pair.certificate }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api = await openTestApi();
  await register(api, { port, caBundle: Buffer.from(authority.certificate).toString('base64') });
  await vi.waitFor(() => available(api), { timeout: 10_000, interval: 10 });
  return {
    api,
    port,
    seen,
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function available(api: TestApi): Promise<void> {
  const { body } = await api.get(`${API_SERVICES}/v1.${GROUP}`);
  expect(body).toMatchObject({ status: { conditions: [{ type: 'Available', status: 'True' }] } });
}

/** The addresses that any socket of this process tries to connect to from now on. */
function dialled(): string[] {
  const addresses: string[] = [];
  const connect = Socket.prototype.connect;
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    this.on('connectionAttempt', (address: string) => addresses.push(address));
    return Reflect.apply(connect, this, args) as Socket;
  } as typeof connect);
  return addresses;
}

async function statusOf({ server }: TestApi): Promise<number> {
  return (await server.send('GET', THINGS)).status;
}

/** Asks at once, when the API still counts as available, and again when it was looked after. */
async function refused(api: TestApi): Promise<void> {
  expect(await statusOf(api)).toBe(503);
  await vi.waitFor(
    async () => {
      const { body } = await api.get(`${API_SERVICES}/v1.${GROUP}`);
      expect(body).toMatchObject({ status: { conditions: [{ type: 'Available', status: 'False' }] } });
    },
    { timeout: 10_000, interval: 10 },
  );
  expect(await statusOf(api)).toBe(503);
}

test('what is dialled is noticed, and a service that leads to this machine is reached', async () => {
  await using it = await openRemote();
  const addresses = dialled();
  expect(await statusOf(it.api)).toBe(200);
  await it.api.merge(`${SERVICES}/backend`, { spec: { externalName: '127.0.0.1' } });
  expect(await statusOf(it.api)).toBe(200);
  expect(addresses).toContain('127.0.0.1');
});

test.each([
  '169.254.169.254',
  '0.0.0.0',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '100.100.100.200',
  'ip6-allnodes',
])('an available API whose service is moved to the external name %s is not dialled', async (externalName) => {
  await using it = await openRemote();
  const addresses = dialled();
  it.seen.length = 0;
  expect((await it.api.merge(`${SERVICES}/backend`, { spec: { externalName } })).status).toBe(200);
  await refused(it.api);
  expect(addresses).toEqual([]);
  expect(it.seen).toEqual([]);
});

test.each<[string, string]>([
  ['IPv4', '169.254.169.254'],
  ['IPv6', 'fe80::1'],
  ['IPv6', 'fd00:ec2::254'],
  ['IPv6', '64:ff9b::a9fe:a9fe'],
  ['IPv6', '2002:a9fe:a9fe::1'],
  ['IPv6', '::ffff:169.254.169.254'],
  ['IPv6', '::a9fe:a9fe'],
])('an available API whose service gets the %s endpoint %s is not dialled', async (addressType, address) => {
  await using it = await openRemote();
  await it.api.post(SLICES, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'backend-1', labels: { 'kubernetes.io/service-name': 'backend' } },
    addressType,
    ports: [{ name: '', port: it.port }],
    endpoints: [{ addresses: [address] }],
  });
  const spec = { type: 'ClusterIP', clusterIP: 'None', externalName: null, ports: [{ port: it.port }] };
  const addresses = dialled();
  it.seen.length = 0;
  expect((await it.api.merge(`${SERVICES}/backend`, { spec })).status).toBe(200);
  await refused(it.api);
  expect(addresses).toEqual([]);
  expect(it.seen).toEqual([]);
});
