import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpsListener } from '@pintle/apiserver';
import { createAuthority, issueCertificate } from '@pintle/pki';
import type { TestApi } from './test-api.ts';

export const GROUP = 'remote.example.com';
export const ROOT = `/apis/${GROUP}/v1`;
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
export const API_SERVICE = `${API_SERVICES}/v1.${GROUP}`;
export const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [
    { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'] },
    { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['update'] },
  ],
};
export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
export const OPENAPI = { openapi: '3.0.0', info: { title: 'remote', version: 'v1' }, paths: {} };
export const OPENAPI_V2 = {
  swagger: '2.0',
  info: { title: 'remote', version: 'v1' },
  paths: {
    [`/apis/${GROUP}/v1/things`]: {
      get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/com.example.Thing' } } } },
      parameters: [{ $ref: '#/parameters/pretty' }],
    },
    '/api/v1/pods': { get: { responses: { 200: { description: 'not theirs' } } } },
  },
  definitions: {
    'com.example.Thing': {
      properties: {
        metadata: { $ref: `#/definitions/${OBJECT_META}` },
        part: { $ref: '#/definitions/com.example.Part' },
      },
    },
    'com.example.Part': { type: 'string' },
    'com.example.Unused': { type: 'string' },
    [OBJECT_META]: { description: 'theirs', type: 'object' },
  },
  parameters: { pretty: { in: 'query', name: 'pretty', type: 'string' } },
};
export const alice = {
  username: 'älice',
  uid: 'u1',
  groups: ['system:masters', 'a'],
  extra: { 'x.io/k%': ['1', '2'] },
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Backend extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  readonly caBundle: string;
  /** Names in the certificates of clients. */
  readonly clients: string[];
  /** Protocols that were used. */
  readonly protocols: Set<string>;
  /** Destroys every connection, as a crash does. */
  readonly cut: () => void;
}

export type Protocol = 'http/1.1' | 'h2';

/** Opens an API server with a certificate for the service `backend` of the namespace `default`. */
export async function openBackend(handler: Handler, protocol: Protocol = 'http/1.1'): Promise<Backend> {
  const authority = await createAuthority('backends', 1, Date.now());
  const hosts = ['backend.default.svc'];
  const pair = await issueCertificate(authority, { commonName: 'b', hosts, usage: 'server', days: 1 }, Date.now());
  const clients: string[] = [];
  const options = { key: pair.privateKey, cert: pair.certificate, requestCert: true, rejectUnauthorized: false };
  const protocols = new Set<string>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    protocols.add(request.httpVersion);
    const json = (value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url === ROOT) json(RESOURCES);
    else if (request.url === `/openapi/v3${ROOT}`) json(OPENAPI);
    else if (request.url === '/apis') response.writeHead(404).end();
    else if (request.url === '/openapi/v2') json(OPENAPI_V2);
    else handler(request, response);
  };
  // Handlers use what requests and responses of both protocols have.
  const server =
    protocol === 'h2'
      ? (createSecureServer(options, answer as never) as unknown as Server)
      : createServer(options, answer);
  const sockets = new Set<Duplex>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.on('connection', (socket) => sockets.add(socket));
  server.on('secureConnection', (socket) => clients.push(String(socket.getPeerCertificate().subject?.CN ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    clients,
    protocols,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Registers a server on this machine for the group, as the service `backend`. */
export async function register(
  api: TestApi,
  { port, caBundle }: Pick<Backend, 'port' | 'caBundle'>,
  spec: object = {},
): Promise<void> {
  const service = { type: 'ExternalName', externalName: 'localhost' };
  await api.post('/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'backend' },
    spec: service,
  });
  const created = await api.post(API_SERVICES, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'default', name: 'backend', port },
      caBundle,
      ...spec,
    },
  });
  assert.equal(created.status, 201);
}

export interface Front extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number; readonly ca: string; readonly servername: string };
}

/** Opens the server on a port. */
export async function openFront({ server: { server } }: TestApi): Promise<Front> {
  const authority = await createAuthority('servers', 1, Date.now());
  const spec = { commonName: 's', hosts: ['localhost'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, spec, Date.now());
  const listener = await HttpsListener.listen({ handle: (request) => server.handle(request), ...pair });
  const { port } = listener;
  const address = { host: '127.0.0.1', port, ca: authority.certificate, servername: 'localhost' };
  return { address, [Symbol.asyncDispose]: () => listener.close() };
}

/** Waits for the condition of the registration to have this reason. */
export async function untilAvailable(api: TestApi, reason: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { body } = await api.get(API_SERVICE);
    const { conditions = [] } = (body.status ?? {}) as { conditions?: { type: string; reason: string }[] };
    if (conditions.some((condition) => condition.type === 'Available' && condition.reason === reason)) return;
    await sleep(10);
  }
  assert.fail(`Cannot go on: the registration never has the reason ${reason}`);
}
