import type { ServedKind } from '@pintle/apiextensions/kinds';
import { servedKind, serveKinds } from '@pintle/apiextensions/kinds';
import { ApiServer, HttpsListener } from '@pintle/apiserver';
import { alwaysAllow } from '@pintle/apiserver/auth';
import { delegateTo, registerApi } from '@pintle/apiserver/delegation';
import { realClock, systemRandom } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { createAuthority, createServingCertificate, issueCertificate } from '@pintle/pki';
import { openMemoryStore } from '@pintle/store';
import { expect, test, vi } from 'vitest';
import { ADMIN, textOf } from '../../testing/open-test-server.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const GROUP = 'weather.example.com';
const ROOT = `/apis/${GROUP}/v1`;
const STATIONS = `${ROOT}/namespaces/default/stations`;
const STATION = { apiVersion: `${GROUP}/v1`, kind: 'Station' };
type Station = KubernetesObject & { spec?: { altitude?: number; name?: string } };

const station = servedKind<Station>({
  kind: 'Station',
  plural: 'stations',
  schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { altitude: { type: 'integer' }, name: { type: 'string' } } },
      status: { type: 'object', properties: { online: { type: 'boolean' } } },
    },
  },
  columns: [{ name: 'Altitude', type: 'integer', jsonPath: '.spec.altitude' }],
  hasStatus: true,
  complete: ({ spec, metadata }) => {
    if (spec !== undefined) spec.name ??= `station ${metadata.name}`;
  },
  validate: ({ spec }) => ((spec?.altitude ?? 0) > 9_000 ? [['spec.altitude', 'nothing is that high']] : []),
});

const reading: ServedKind = {
  kind: 'Reading',
  plural: 'readings',
  schema: { type: 'object', properties: { celsius: { type: 'number' } } },
  columns: [{ name: 'Celsius', type: 'number', jsonPath: '.celsius' }],
  computed: {
    get: (name, { namespace }) => (name === 'now' ? readingOf('now', namespace) : undefined),
    list: ({ namespace }) => ['now', 'then'].map((name) => readingOf(name, namespace || 'default')),
  },
};

function readingOf(name: string, namespace: string): KubernetesObject {
  const metadata = { name, namespace, labels: { age: name } };
  return { apiVersion: '', kind: '', metadata, celsius: 21.5 } as KubernetesObject;
}

interface World extends AsyncDisposable {
  readonly api: TestApi;
  readonly server: ApiServer;
}

async function open(): Promise<World> {
  const authority = await createAuthority('front', 1, Date.now());
  const spec = { commonName: 'front-proxy', hosts: [], usage: 'client' as const, days: 1 };
  const proxyCertificate = await issueCertificate(authority, spec, Date.now());
  const requestHeaders = {
    authorities: authority.certificate,
    allowedNames: ['front-proxy'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  };
  const api = await openTestApi({ clock: realClock, proxyCertificate, requestHeaders });
  const store = await openMemoryStore({ clock: realClock });
  const cluster = {
    send: (request: Parameters<TestApi['server']['send']>[2] & { method: string; path: string; query?: string }) =>
      api.server.send(request.method, request.query ? `${request.path}?${request.query}` : request.path, {
        ...request,
        user: ADMIN,
      }),
  };
  const kinds = [station, reading];
  const delegation = await delegateTo(cluster, { clock: realClock });
  const server = new ApiServer({ store, clock: realClock, random: systemRandom, ...delegation });
  serveKinds(server, { group: GROUP, version: 'v1', kinds });
  await server.start();
  const serving = await createServingCertificate({ hosts: ['weather.default.svc'], days: 1 }, Date.now());
  const listener = await HttpsListener.listen({
    handle: (request) => server.answer(request),
    ...serving,
    clientCa: delegation.clientCa,
  });
  await api.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'weather' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const service = { namespace: 'default', name: 'weather', port: listener.port };
  await registerApi(cluster, { group: GROUP, version: 'v1', service, authority: serving.authority });
  await vi.waitFor(async () => expect((await api.get(`${ROOT}/namespaces/default/readings/now`)).status).toBe(200), {
    timeout: 10_000,
  });
  const dispose = async (): Promise<void> => {
    server.beginShutdown();
    await listener.close({ graceMs: 5_000 });
    await server.close();
    await store.close();
    await api[Symbol.asyncDispose]();
  };
  return { api, server, [Symbol.asyncDispose]: dispose };
}

test('an aggregated server adds kinds to a cluster: stored and computed ones, with its users and roles', async () => {
  await using world = await open();
  const { api, server } = world;

  // Kept, completed and checked as its author says.
  const made = await api.post(STATIONS, { ...STATION, metadata: { name: 'zugspitze' }, spec: { altitude: 2962 } });
  expect(made).toMatchObject({ status: 201, body: { spec: { altitude: 2962, name: 'station zugspitze' } } });
  const refused = await api.post(STATIONS, { ...STATION, metadata: { name: 'moon' }, spec: { altitude: 384_400_000 } });
  expect(refused).toMatchObject({ status: 422, body: { details: { causes: [{ field: 'spec.altitude' }] } } });
  expect((await api.merge(`${STATIONS}/zugspitze`, { spec: { altitude: 2961 } })).body).toMatchObject({
    spec: { altitude: 2961 },
    metadata: { generation: 2 },
  });
  const elsewhere = `${ROOT}/namespaces/nowhere/stations`;
  expect((await api.post(elsewhere, { ...STATION, metadata: { name: 'x' } })).status).toBe(404);
  await api.post('/api/v1/namespaces', { metadata: { name: 'north' } });
  expect((await api.post(`${ROOT}/namespaces/north/stations`, { ...STATION, metadata: { name: 'x' } })).status).toBe(
    201,
  );

  // Computed, in every form and behind selectors.
  const now = await api.get(`${ROOT}/namespaces/default/readings/now`);
  expect(now.body).toMatchObject({ kind: 'Reading', apiVersion: `${GROUP}/v1`, celsius: 21.5 });
  expect((await api.get(`${ROOT}/namespaces/default/readings/never`)).status).toBe(404);
  const some = await api.get(`${ROOT}/readings?labelSelector=age%3Dthen`);
  expect(some.body).toMatchObject({ kind: 'ReadingList', items: [{ metadata: { name: 'then' } }] });
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const table = await api.get(`${ROOT}/readings`, { headers: { accept } });
  expect((table.body.rows as { cells: unknown[] }[])[0]?.cells).toEqual(['now', 21.5]);
  expect((await api.post(`${ROOT}/namespaces/default/readings`, { metadata: { name: 'x' } })).status).toBe(405);

  // Discovery tells what can be done with each.
  const listed = (await api.get(ROOT)).body.resources as { name: string; verbs: string[] }[];
  expect(listed.find(({ name }) => name === 'readings')?.verbs).toEqual(['get', 'list']);
  expect(listed.find(({ name }) => name === 'stations')?.verbs).toContain('watch');

  // The cluster's roles decide, and who comes past the cluster is nobody.
  const jane = { username: 'jane', groups: ['system:authenticated'] };
  expect((await api.get(`${STATIONS}/zugspitze`, { user: jane })).status).toBe(403);
  const bare = { query: '', body: new Uint8Array(), signal: new AbortController().signal };
  const forged = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
  const direct = await server.handle({
    ...bare,
    method: 'GET',
    path: `${STATIONS}/zugspitze`,
    headers: forged,
    peer: { address: '10.0.0.1' },
  });
  expect(direct.status).toBe(403);

  // A watch goes through.
  const gone = new AbortController();
  const watch = await api.server.send('GET', `${STATIONS}?watch=true`, { signal: gone.signal });
  const chunks = (watch.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect(Buffer.from((await chunks.next()).value).toString()).toContain('"ADDED"');
  gone.abort();
  await textOf(watch).catch(() => undefined);
});

test('a cluster without a front proxy is not believed', async () => {
  await using api = await openTestApi();
  const cluster = { send: ({ method, path }: { method: string; path: string }) => api.server.send(method, path) };
  await expect(delegateTo(cluster, { clock: realClock })).rejects.toThrow('the cluster has no front proxy');
});

test('a kind that no definition could define is not served', async () => {
  await using store = await openMemoryStore({ clock: realClock });
  const open = { authenticator: { authenticate: () => undefined }, authorizer: alwaysAllow };
  const server = new ApiServer({ store, clock: realClock, random: systemRandom, ...open });
  const broken = { ...station, schema: { type: 'object', properties: { spec: { type: 'strange' } } } };
  expect(() => serveKinds(server, { group: GROUP, version: 'v1', kinds: [broken] })).toThrow(
    /^Cannot serve stations\.weather\.example\.com: .*type/,
  );
});
