import type { CatalogVersion } from '@pintle/apiserver/discovery';
import { builtinSchemas, HEAD_DESCRIPTIONS } from '@pintle/apiserver/openapi';
import { toV2Schema } from '@pintle/apiserver/testing';
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';
import { readProto } from '../../testing/read-proto.ts';

interface Document {
  readonly paths: Record<string, Record<string, Operation> & { parameters?: { name: string }[] }>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
  readonly definitions: Record<string, Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: { name?: string; in?: string }[];
  readonly requestBody?: { readonly content: object };
  readonly 'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string };
}

async function documentAt(server: TestServer, path: string): Promise<Document> {
  return JSON.parse(await textOf(await server.send('GET', path)));
}

async function indexOf(server: TestServer): Promise<Record<string, { serverRelativeURL: string }>> {
  return JSON.parse(await textOf(await server.send('GET', '/openapi/v3'))).paths;
}

const PREFIX = 'com.example.v1.';
const LAMPS: CatalogVersion = {
  group: 'example.com',
  version: 'v1',
  groupPriority: 1000,
  versionPriority: 100,
  isCustom: true,
  schemas: {
    typeNameOf: ({ group, kind }) => (group === 'example.com' ? PREFIX + kind : undefined),
    schemaOf: (name) => (name.startsWith(PREFIX) ? { type: 'object' } : builtinSchemas.schemaOf(name)),
  },
  resources: [
    {
      resource: 'lamps',
      singular: 'lamp',
      scope: 'Cluster',
      responseKind: { group: '', version: '', kind: 'Lamp' },
      verbs: ['get', 'list', 'patch', 'watch'],
      acceptedTypes: [],
      shortNames: [],
      categories: [],
      subresources: [],
      listKind: 'LampSet',
    },
  ],
};

describe('OpenAPI 3', () => {
  test('lists every document with its hash', async () => {
    await using server = await openTestServer();
    const index = await indexOf(server);
    expect(Object.keys(index)).toEqual(
      expect.arrayContaining(['api', 'api/v1', 'apis/apps', 'apis/apps/v1', 'version']),
    );
    for (const [name, { serverRelativeURL }] of Object.entries(index)) {
      const { status, headers } = await server.send('GET', serverRelativeURL);
      expect(`${name} ${status} ${headers.etag}`).toBe(`${name} 200 "${serverRelativeURL.split('hash=')[1]}"`);
      expect(headers['cache-control']).toBe('public, immutable');
    }
  });

  test('has for each kind what kubectl looks for before it creates or applies one', async () => {
    await using server = await openTestServer();
    for (const { group, versions } of server.server.catalog.groups) {
      for (const { version, resources } of versions) {
        const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
        const { paths, components } = await documentAt(server, `/openapi/v3/${root}`);
        const kinds = Object.values(components.schemas).flatMap((schema) => schema['x-kubernetes-group-version-kind']);
        const patches = Object.values(paths).flatMap(({ patch }) => patch ?? []);
        for (const resource of resources.filter(({ verbs }) => verbs.includes('patch'))) {
          const gvk = { group, version, kind: resource.responseKind.kind };
          expect(kinds).toContainEqual(gvk);
          const patch = patches.find((operation) => operation['x-kubernetes-group-version-kind']?.kind === gvk.kind);
          expect(patch?.parameters).toContainEqual(expect.objectContaining({ name: 'fieldValidation', in: 'query' }));
          expect(patch?.requestBody?.content).toHaveProperty(['application/strategic-merge-patch+json']);
        }
      }
    }
  });

  test('refers only to types it has', async () => {
    await using server = await openTestServer();
    for (const name of Object.keys(await indexOf(server))) {
      const text = await textOf(await server.send('GET', `/openapi/v3/${name}`));
      const types = new Set(Object.keys((JSON.parse(text) as Document).components.schemas ?? {}));
      for (const [, type] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) expect(types).toContain(type);
    }
  });

  test('leads from an old hash to the present one, and answers 304 to whoever has it', async () => {
    await using server = await openTestServer();
    const path = '/openapi/v3/apis/coordination.k8s.io/v1';
    const { etag } = (await server.send('GET', path)).headers;
    const moved = await server.send('GET', `${path}?hash=0000`);
    expect(moved).toMatchObject({ status: 301, headers: { location: `${path}?hash=${String(etag).slice(1, -1)}` } });
    const kept = await server.send('GET', path, { headers: { 'if-none-match': `"x", ${etag}` } });
    expect(kept.status).toBe(304);
    expect(kept.headers['content-type']).toBeUndefined();
    expect((await server.send('GET', path, { headers: { accept: 'text/html' } })).status).toBe(406);
  });

  test('says the same in protobuf, under the same tag', async () => {
    await using server = await openTestServer();
    const path = '/openapi/v3/apis/coordination.k8s.io/v1';
    const { etag } = (await server.send('GET', path)).headers;
    const { components } = await documentAt(server, path);
    const type = 'application/com.github.proto-openapi.spec.v3';
    for (const accept of [`${type}@v1.0+protobuf`, `${type}.v1.0+protobuf`]) {
      const response = await server.send('GET', path, { headers: { accept } });
      expect(response).toMatchObject({ status: 200, headers: { etag, 'content-type': `${type}.v1.0+protobuf` } });
      const document = readProto(response.body as Uint8Array);
      expect(document.text(1)).toBe('3.0.0');
      const schemas = document.message(5).message(1).messages(1);
      expect(schemas.map((entry) => entry.text(1))).toEqual(Object.keys(components.schemas));
      const lease = schemas
        .find((entry) => entry.text(1) === 'io.k8s.api.coordination.v1.Lease')
        ?.message(2)
        .message(1);
      expect(lease?.text(25)).toBe('object');
      expect(lease?.message(36).text(1)).toBe('x-kubernetes-group-version-kind');
      expect(lease?.message(36).message(2).text(2)).toBe(
        '- group: coordination.k8s.io\n  kind: Lease\n  version: v1\n',
      );
    }
  });

  test('has a document for a version from when it joins until it leaves, and keeps the hashes of others', async () => {
    await using server = await openTestServer();
    const before = await indexOf(server);
    server.server.catalog.put(LAMPS);
    const { 'apis/example.com/v1': added, ...others } = await indexOf(server);
    expect(others).toEqual(before);
    const { paths, components } = await documentAt(server, added!.serverRelativeURL);
    expect(Object.keys(paths)).toEqual(['/apis/example.com/v1/lamps', '/apis/example.com/v1/lamps/{name}']);
    expect(paths['/apis/example.com/v1/lamps']?.get?.operationId).toBe('listExampleComV1Lamp');
    expect(paths['/apis/example.com/v1/lamps/{name}']?.get?.parameters).toMatchObject([{ name: 'resourceVersion' }]);
    expect(paths['/apis/example.com/v1/lamps/{name}']?.patch?.requestBody?.content).not.toHaveProperty([
      'application/strategic-merge-patch+json',
    ]);
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(['com.example.v1.Lamp', 'com.example.v1.LampSet']),
    );
    server.server.catalog.remove(LAMPS);
    expect(await indexOf(server)).toEqual(before);
    for (const accept of ['application/json', 'text/html']) {
      const none = await server.send('GET', '/openapi/v3/apis/example.com/v1', { headers: { accept } });
      expect(none.status).toBe(404);
    }
  });

  test('tells where the issuer of tokens says who it is', async () => {
    await using server = await openTestServer();
    const name = '.well-known/openid-configuration';
    expect(await indexOf(server)).toMatchObject({ [name]: {}, 'openid/v1/jwks': {} });
    const { paths, components } = await documentAt(server, `/openapi/v3/${name}`);
    expect(paths[`/${name}/`]?.get).toMatchObject({ operationId: 'getServiceAccountIssuerOpenIDConfiguration' });
    expect(Object.keys(components)).toEqual(['securitySchemes']);
  });

  test('explains what every object begins with, of built-in and of custom kinds in the same words', async () => {
    await using server = await openTestServer();
    const { components } = await documentAt(server, '/openapi/v3/api/v1');
    const { properties } = components.schemas['io.k8s.api.core.v1.Pod'] as { properties: Record<string, object> };
    for (const [name, description] of Object.entries(HEAD_DESCRIPTIONS))
      expect(properties[name]).toMatchObject({ description });
    expect(components.schemas['io.k8s.api.core.v1.PodSpec']).toHaveProperty('description');
  });

  // Kubernetes' conformance tests look for these words in what `kubectl explain` says of a custom resource.
  test('begins the descriptions of metadata with the words that clients look for', async () => {
    await using server = await openTestServer();
    const { components } = await documentAt(server, '/openapi/v3/api/v1');
    const described = (schema: string, field: string) =>
      (components.schemas[schema] as { properties: Record<string, { description: string }> }).properties[field]!
        .description;
    expect(described('io.k8s.api.core.v1.Pod', 'apiVersion')).toMatch(/^APIVersion defines /);
    expect(described('io.k8s.api.core.v1.Pod', 'metadata')).toMatch(/^Standard object's metadata/);
    const metadata = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    expect(described(metadata, 'creationTimestamp')).toMatch(/^CreationTimestamp is a timestamp /);
  });
});

describe('OpenAPI 2', () => {
  const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

  test('has every path of the documents of version 3', async () => {
    await using server = await openTestServer();
    const whole = await documentAt(server, '/openapi/v2');
    for (const name of Object.keys(await indexOf(server))) {
      const { paths } = await documentAt(server, `/openapi/v3/${name}`);
      for (const path of Object.keys(paths)) {
        expect(Object.keys(whole.paths[path] ?? {}), path).toEqual(Object.keys(paths[path]!));
      }
    }
  });

  test('leaves out what definitions say of alternatives, and what embedded objects need where anything goes', () => {
    const anything = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    expect(toV2Schema({ type: 'number', oneOf: [{ required: ['a'] }], allOf: [{ required: ['b'] }] })).toEqual({
      type: 'number',
    });
    expect(toV2Schema({ type: 'object', required: ['a', 'kind', 'apiVersion'], ...anything })).toEqual({
      required: ['a'],
      ...anything,
    });
  });

  test('says numbers that may be strings as strings, and no defaults', async () => {
    await using server = await openTestServer();
    const text = await textOf(await server.send('GET', '/openapi/v2'));
    const { definitions } = JSON.parse(text) as Document;
    expect(definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toMatchObject({
      format: 'int-or-string',
      type: 'string',
    });
    expect(definitions['io.k8s.api.core.v1.Pod']).toMatchObject({
      properties: { spec: { $ref: '#/definitions/io.k8s.api.core.v1.PodSpec' } },
    });
    expect(text).not.toMatch(/"default":(?!\{"(type|\$ref|description))/);
  });

  test('says what paths of discovery take and give, in the order of Kubernetes', async () => {
    await using server = await openTestServer();
    const { paths } = await documentAt(server, '/openapi/v2');
    const types = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
    for (const path of ['/api/', '/apis/', '/apis/apps/', '/apis/apps/v1/']) {
      expect(paths[path]?.get, path).toMatchObject({ consumes: types, produces: types });
    }
    expect(paths['/version/']?.get).toMatchObject({ consumes: ['application/json'], produces: ['application/json'] });
    expect(paths['/openid/v1/jwks/']?.get).not.toHaveProperty('consumes');
  });

  test('names of what every version has a kind all versions there ever were, and none of definitions', async () => {
    await using server = await openTestServer();
    server.server.catalog.put(LAMPS);
    const { definitions } = await documentAt(server, '/openapi/v2');
    for (const kind of ['DeleteOptions', 'WatchEvent']) {
      const kinds = definitions[`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`]?.['x-kubernetes-group-version-kind'];
      expect(kinds).toHaveLength(60);
      expect(kinds).toEqual(expect.arrayContaining([{ group: 'extensions', kind, version: 'v1beta1' }]));
      expect(kinds).not.toEqual(expect.arrayContaining([{ group: 'example.com', kind, version: 'v1' }]));
    }
  });

  test('is the same in both forms, with one tag', async () => {
    await using server = await openTestServer();
    const spelt = PROTOBUF.replace('v2.v1', 'v2@v1');
    const { body, headers } = await server.send('GET', '/openapi/v2', { headers: { accept: spelt } });
    expect(headers['content-type']).toBe(PROTOBUF);
    expect(headers.etag).toBe((await server.send('GET', '/openapi/v2')).headers.etag);
    const { definitions, paths } = await documentAt(server, '/openapi/v2');
    const document = readProto(body as Uint8Array);
    const namesIn = (field: number, entries: number): string[] =>
      document
        .message(field)
        .messages(entries)
        .map((entry) => entry.text(1));
    expect(namesIn(9, 1)).toEqual(Object.keys(definitions));
    expect(namesIn(8, 2)).toEqual(Object.keys(paths));
  });

  test('has the kind of each definition where client-go looks for it', async () => {
    await using server = await openTestServer();
    const { body } = await server.send('GET', '/openapi/v2', { headers: { accept: PROTOBUF } });
    const definitions = readProto(body as Uint8Array)
      .message(9)
      .messages(1);
    const schema = definitions.find((entry) => entry.text(1) === 'io.k8s.api.core.v1.ConfigMap')!.message(2);
    const extension = schema.messages(31).find((entry) => entry.text(1) === 'x-kubernetes-group-version-kind')!;
    expect(JSON.parse(extension.message(2).text(2))).toEqual([{ group: '', kind: 'ConfigMap', version: 'v1' }]);
    const properties = schema.message(25).messages(1);
    const data = properties.find((entry) => entry.text(1) === 'data')!.message(2);
    expect(data.message(22).text(1)).toBe('object');
    expect(data.message(21).message(1).message(22).text(1)).toBe('string');
  });

  test('tells what comes and goes', async () => {
    await using server = await openTestServer();
    const { etag } = (await server.send('GET', '/openapi/v2')).headers;
    server.server.catalog.put(LAMPS);
    const { paths, definitions } = await documentAt(server, '/openapi/v2');
    expect(paths).toHaveProperty(['/apis/example.com/v1/lamps/{name}']);
    expect(definitions).toHaveProperty(['com.example.v1.Lamp']);
    server.server.catalog.remove(LAMPS);
    expect((await server.send('GET', '/openapi/v2')).headers.etag).toBe(etag);
  });
});
