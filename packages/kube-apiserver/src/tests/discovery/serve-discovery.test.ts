import type { CatalogVersion } from '@pintle/apiserver/discovery';
import { builtinSchemas } from '@pintle/apiserver/openapi';
import { messageNameOf, protobufTable } from '@pintle/kinds/protobuf';
import { decodeEnvelope, decodeMessage } from '@pintle/machinery/protobuf';
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const LAMPS: CatalogVersion = {
  group: 'example.com',
  version: 'v1',
  groupPriority: 1000,
  versionPriority: 100,
  isCustom: true,
  schemas: builtinSchemas,
  resources: [
    {
      resource: 'lamps',
      singular: 'lamp',
      scope: 'Namespaced',
      responseKind: { group: 'example.com', version: 'v1', kind: 'Lamp' },
      verbs: ['delete', 'get', 'list'],
      acceptedTypes: [],
      shortNames: ['lp'],
      categories: [],
      subresources: [],
      storedAs: { group: 'example.com', version: 'v1', kind: 'Lamp' },
    },
  ],
};

async function bodyOf(server: TestServer, path: string, accept?: string): Promise<Record<string, unknown>> {
  const response = await server.send('GET', path, accept === undefined ? {} : { headers: { accept } });
  return JSON.parse(await textOf(response));
}

describe('discovery', () => {
  test('tells storage versions as Kubernetes hashes them', async () => {
    await using server = await openTestServer();
    const hashOf = async (path: string, name: string): Promise<unknown> => {
      const { resources } = (await bodyOf(server, path)) as {
        resources: { name: string; storageVersionHash?: string }[];
      };
      return resources.find((resource) => resource.name === name)?.storageVersionHash;
    };
    expect(await hashOf('/api/v1', 'configmaps')).toBe('qFsyl6wFWjQ=');
    expect(await hashOf('/api/v1', 'componentstatuses')).toBeUndefined();
    expect(await hashOf('/apis/events.k8s.io/v1', 'events')).toBe('r2yiGXH7wu8=');
    expect(await hashOf('/apis/autoscaling/v1', 'horizontalpodautoscalers')).toBe('qwQve8ut294=');
    expect(await hashOf('/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions')).toBe('jfWCUB31mvA=');
  });

  test('answers 304 while the aggregated document is what the client has', async () => {
    await using server = await openTestServer();
    const first = await server.send('GET', '/apis', { headers: { accept: AGGREGATED } });
    const headers = { accept: AGGREGATED, 'if-none-match': String(first.headers.etag) };
    expect(first.headers).toMatchObject({ 'content-type': AGGREGATED, vary: 'Accept', 'cache-control': 'public' });
    expect(await server.send('GET', '/apis', { headers })).toMatchObject({ status: 304, body: new Uint8Array() });
    server.server.catalog.put(LAMPS);
    expect((await server.send('GET', '/apis', { headers })).status).toBe(200);
  });

  test('tells everything at once in every encoding, under one tag, wherever that is asked for', async () => {
    await using server = await openTestServer();
    const shape = AGGREGATED.slice('application/json'.length);
    const ask = (accept: string, path = '/apis') => server.send('GET', path, { headers: { accept } });
    const { headers } = await ask(AGGREGATED);
    const protobuf = await ask(`application/vnd.kubernetes.protobuf${shape}`);
    expect(protobuf.headers['content-type']).toBe(`application/vnd.kubernetes.protobuf${shape}`);
    expect(protobuf.headers.etag).toBe(headers.etag);
    expect(decodeEnvelope(protobuf.body as Uint8Array)).toMatchObject({
      apiVersion: 'apidiscovery.k8s.io/v2',
      kind: 'APIGroupDiscoveryList',
    });
    const yaml = await ask(`application/json,application/yaml${shape}`, '/api');
    expect(yaml.headers['content-type']).toBe(`application/yaml${shape}`);
    expect((await ask(`application/*${shape}`, '/api')).status).toBe(406);
    expect((await ask(`application/*${shape}`)).headers['content-type']).toBe(AGGREGATED);
    const posted = await server.send('POST', '/apis', { headers: { accept: AGGREGATED } });
    expect(posted.headers.etag).toBe(headers.etag);
  });

  test('tells of a group in every form from when it joins until it leaves', async () => {
    await using server = await openTestServer();
    expect((await server.send('GET', '/apis/example.com')).status).toBe(404);
    server.server.catalog.put(LAMPS);
    expect(await bodyOf(server, '/apis/example.com')).toMatchObject({ kind: 'APIGroup', name: 'example.com' });
    expect(await bodyOf(server, '/apis/example.com/v1')).toMatchObject({
      resources: [{ name: 'lamps', kind: 'Lamp', verbs: ['delete', 'get', 'list'], shortNames: ['lp'] }],
    });
    const { items } = (await bodyOf(server, '/apis', AGGREGATED)) as { items: { metadata: object }[] };
    expect(items.at(-1)).toMatchObject({ metadata: { name: 'example.com' }, versions: [{ freshness: 'Current' }] });
    expect(await textOf(await server.send('GET', '/apis/example.com/v2'))).toBe('404 page not found\n');
    server.server.catalog.remove(LAMPS);
    expect(await textOf(await server.send('GET', '/apis/example.com/v1'))).toBe('404 page not found\n');
  });

  test('marks a version whose server does not answer as stale', async () => {
    await using server = await openTestServer();
    server.server.catalog.put({ ...LAMPS, isStale: true });
    const { items } = (await bodyOf(server, '/apis', AGGREGATED)) as { items: object[] };
    expect(items.at(-1)).toMatchObject({ versions: [{ freshness: 'Stale' }] });
  });

  test('refuses forms and methods it does not have', async () => {
    await using server = await openTestServer();
    const beta = AGGREGATED.replace('v=v2', 'v=v2beta1');
    expect((await server.send('GET', '/api', { headers: { accept: beta } })).status).toBe(406);
    expect(await bodyOf(server, '/api', `${beta},application/json`)).toMatchObject({ kind: 'APIVersions' });
    for (const [path, status] of Object.entries({
      '/api': 405,
      '/apis/apps/v1': 405,
      '/apis': 200,
      '/apis/apps': 200,
      '/apis/apiregistration.k8s.io': 405,
    })) {
      expect((await server.send('POST', path, { body: {} })).status).toBe(status);
    }
    const aggregated = { headers: { accept: AGGREGATED } };
    expect((await server.send('GET', '/apis/', aggregated)).status).toBe(406);
    expect((await server.send('HEAD', '/api', aggregated)).status).toBe(405);
  });

  test('tells unknown paths below known ones as a Status, others as text', async () => {
    await using server = await openTestServer();
    for (const path of ['/api/foo', '/apis/apps/v9', '/version/x']) {
      expect(await bodyOf(server, path)).toMatchObject({ kind: 'Status', code: 404 });
    }
    for (const path of ['/foo', '/apis/foo', '/apis/foo/v1/bar', '//api', '/API', '/livez/', '/openapi']) {
      expect(await textOf(await server.send('GET', path))).toBe('404 page not found\n');
    }
  });

  test('writes YAML and protobuf too', async () => {
    await using server = await openTestServer();
    const yaml = await server.send('GET', '/apis/apps', { headers: { accept: 'application/yaml' } });
    expect(await textOf(yaml)).toContain('kind: APIGroup\nname: apps\n');
    const accept = 'application/vnd.kubernetes.protobuf';
    const { body } = await server.send('GET', '/apis/apps', { headers: { accept } });
    const { kind, raw } = decodeEnvelope(body as Uint8Array);
    const message = messageNameOf({ group: '', version: 'v1', kind }) ?? '';
    expect(decodeMessage(protobufTable, message, raw)).toMatchObject({ name: 'apps', versions: [{ version: 'v1' }] });
  });

  test('lists the paths there are', async () => {
    await using server = await openTestServer();
    const { paths } = (await bodyOf(server, '/')) as { paths: string[] };
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(expect.arrayContaining(['/api/v1', '/apis/apps/v1', '/livez/etcd', '/metrics', '/version']));
    expect(paths).not.toContain('/livez/shutdown');
  });
});
