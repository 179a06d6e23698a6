import type { JsonObject } from '@pintle/machinery/json';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { define } from '../define.ts';
import type { TestApi } from '../test-api.ts';
import { openTestApi } from '../test-api.ts';
import { certificate, certificates, issuer, issuers } from './certificates.ts';
import { cluster, clusters, machineDeployment, machineDeployments } from './clusters.ts';
import { gateway, gateways, route, routes } from './routes.ts';

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
  for (const definition of [certificates, issuers, gateways, routes, clusters, machineDeployments]) {
    const { status, body } = await define(api, definition);
    expect(status, JSON.stringify(body)).toBe(200);
  }
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

function pathOf({ apiVersion, kind }: Sample, version = ''): string {
  const [group = '', own = ''] = apiVersion.split('/');
  const scope = kind === 'ClusterIssuer' ? '' : '/namespaces/default';
  return `/apis/${group}/${version || own}${scope}/${kind.toLowerCase()}s`;
}

test.each<[string, Sample]>([
  ['Certificate', certificate],
  ['ClusterIssuer', issuer],
  ['Gateway', gateway],
  ['HTTPRoute', route],
  ['Cluster', cluster],
  ['MachineDeployment', machineDeployment],
])('a %s comes back as it was sent, with its defaults', async (_kind, sample) => {
  const path = pathOf(sample);
  const made = await api.post(`${path}?fieldValidation=Strict`, sample);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const read = await api.get(`${path}/${sample.metadata.name}`);
  expect(read.body).toEqual(made.body);
  expect(read.body).toMatchObject({ spec: sample.spec });
  const again = await api.put(`${path}/${sample.metadata.name}`, read.body);
  expect(again.body).toEqual(read.body);
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const applied = await api.server.send('PATCH', `${path}/${sample.metadata.name}?fieldManager=tester&force=true`, {
    body: sample,
    headers,
  });
  expect(applied.status).toBe(200);
  expect((await api.get(`${path}/${sample.metadata.name}`)).body.spec).toEqual(read.body.spec);
});

const change = (sample: Sample, spec: JsonObject): JsonObject =>
  ({ ...sample, metadata: { name: 'changed' }, spec: { ...sample.spec, ...spec } }) as unknown as JsonObject;

test.each<[string, Sample, JsonObject, string]>([
  ['a certificate for nobody', certificate, { dnsNames: [] }, 'a certificate must have a subject'],
  ['a certificate renewed too early', certificate, { renewBefore: '1000h' }, 'renewed before it begins'],
  ['a certificate with no address', certificate, { ipAddresses: ['x'] }, 'not an address'],
  ['a key of a strange size', certificate, { privateKey: { algorithm: 'RSA', size: 100 } }, 'the size does not fit'],
  ['two ways to issue', issuer, { selfSigned: {} }, 'exactly one way to issue'],
  [
    'TLS where there is none',
    gateway,
    { listeners: [{ name: 'a', port: 1, protocol: 'TCP', tls: { options: { a: 'b' } } }] },
    'tls must not be specified for protocols HTTP, TCP and UDP',
  ],
  [
    'two listeners on one port',
    gateway,
    { listeners: ['a', 'b'].map((name) => ({ name, port: 80, protocol: 'HTTP' })) },
    'port, protocol and hostname together must be unique among listeners',
  ],
  [
    'a relative path',
    route,
    { rules: [{ matches: [{ path: { type: 'Exact', value: 'cart' } }] }] },
    'value must be an absolute path',
  ],
  [
    'a filter that says something else',
    route,
    { rules: [{ filters: [{ type: 'RequestRedirect' }] }] },
    'requestRedirect must be specified for RequestRedirect',
  ],
  ['a backend without a port', route, { rules: [{ backendRefs: [{ name: 'x' }] }] }, 'Must have port for Service'],
  ['no CIDR', cluster, { clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0'] } } }, 'not a CIDR'],
  ['no version', cluster, { topology: { class: 'x', version: '1.36' } }, 'must be a valid semantic version'],
])('%s is refused', async (_what, sample, spec, message) => {
  const refused = await api.post(pathOf(sample), change(sample, spec));
  expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining(message) } });
});

test('what may not change does not', async () => {
  const path = `${pathOf(machineDeployment)}/${machineDeployment.metadata.name}`;
  expect(await api.merge(path, { spec: { clusterName: 'other' } })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('clusterName is immutable') },
  });
  expect((await api.merge(path, { spec: { replicas: 5 } })).status).toBe(200);
  expect((await api.get(`${path}/scale`)).body.spec).toEqual({ replicas: 5 });
});

test('defaults reach into lists and into the status', async () => {
  const { body } = await api.get(`${pathOf(gateway)}/edge`);
  expect(body).toMatchObject({
    spec: {
      listeners: [
        { allowedRoutes: { namespaces: { from: 'Same' } } },
        { tls: { mode: 'Terminate', certificateRefs: [{ group: '', kind: 'Secret' }] } },
      ],
      addresses: [{ type: 'IPAddress' }],
    },
    status: { conditions: [{ type: 'Accepted', status: 'Unknown' }] },
  });
});

test('another version shows the same object, and says when it is deprecated', async () => {
  const { body, warnings } = await api.get(`${pathOf(cluster, 'v1beta1')}/prod`);
  expect(body).toMatchObject({ apiVersion: 'clusters.real-world.dev/v1beta1', spec: cluster.spec });
  expect(warnings).toEqual([
    '299 - "clusters.real-world.dev/v1beta1 Cluster is deprecated; use clusters.real-world.dev/v1beta2 Cluster"',
  ]);
});

test('columns show what the definition says', async () => {
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const { body } = await api.get(pathOf(certificate), { headers });
  expect(body.rows).toMatchObject([{ cells: ['web', null, 'web-tls', 'letters', expect.any(String)] }]);
});

test('every definition is described in OpenAPI', async () => {
  for (const group of ['certs', 'gateways', 'clusters']) {
    const version = group === 'clusters' ? 'v1beta2' : 'v1';
    const { status, body } = await api.get(`/openapi/v3/apis/${group}.real-world.dev/${version}`);
    expect(status).toBe(200);
    expect(Object.keys((body as unknown as { paths: object }).paths).length).toBeGreaterThan(5);
  }
});
