import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });

async function send(api: TestApi, method: string, path: string, headers: Record<string, string>, body?: object) {
  const text = body && JSON.stringify(body);
  const response = await api.server.send(method, path, { headers, ...(text && { body: text }) });
  const chunks: Uint8Array[] = [];
  if (response.body instanceof Uint8Array) chunks.push(response.body);
  else for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

function map(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { made: 'here' } } };
}

describe('a shape that does not fit what is found', () => {
  test('is refused only after what was asked for has been done', async () => {
    await using api = await openTestApi();
    const list = as('PartialObjectMetadataList');
    expect(await send(api, 'GET', `${MAPS}/none`, list)).toMatchObject({ status: 404 });
    expect(await send(api, 'POST', MAPS, { ...list, 'content-type': 'application/json' }, map('a'))).toMatchObject({
      status: 406,
      body: {
        message: expect.stringMatching(/^you requested PartialObjectMetadataList,.* not a list \(\*core.ConfigMap\)$/),
      },
    });
    expect(await send(api, 'POST', MAPS, { ...list, 'content-type': 'application/json' }, map('a'))).toMatchObject({
      status: 409,
    });
    expect(await send(api, 'DELETE', `${MAPS}/a`, list)).toMatchObject({ status: 200, body: { status: 'Success' } });
  });

  test('is named by the kind that is answered, not by the one whose part was asked for', async () => {
    await using api = await openTestApi();
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    await api.post('/api/v1/namespaces/default/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    });
    const headers = { ...as('PartialObjectMetadataList'), 'content-type': 'application/json' };
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { body } = await send(api, 'POST', path, headers, request);
    expect(body.message).toContain('(*authentication.TokenRequest)');
  });
});

test('a deleted collection is answered in the forms of a list', async () => {
  await using api = await openTestApi();
  await api.post(MAPS, map('a'));
  const path = `${MAPS}?dryRun=All&labelSelector=made`;
  expect((await send(api, 'DELETE', path, as('Table'))).body).toMatchObject({
    kind: 'Table',
    rows: [{ cells: ['a', 0, '0s'] }],
  });
  expect((await send(api, 'DELETE', path, as('PartialObjectMetadataList'))).body).toMatchObject({
    kind: 'PartialObjectMetadataList',
    items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
  });
  expect((await send(api, 'DELETE', path, as('PartialObjectMetadata'))).status).toBe(406);
});

test('a table that cannot be is refused where there is none to answer with, too', async () => {
  await using api = await openTestApi();
  await api.post(MAPS, map('a'));
  const refused = await send(api, 'DELETE', `${MAPS}/a?includeObject=All`, as('Table'));
  expect(refused).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^Unable to convert to Table as requested: includeObject: /) },
  });
  expect((await api.get(`${MAPS}/a`)).status).toBe(404);
});

test('a table of what was not written has no resourceVersion', async () => {
  await using api = await openTestApi();
  const headers = { ...as('Table'), 'content-type': 'application/json' };
  const { body } = await send(api, 'POST', `${MAPS}?dryRun=All`, headers, map('a'));
  expect(body.metadata).toEqual({});
});

test('types of an Accept header are taken literally, and an empty shape is none', async () => {
  await using api = await openTestApi();
  for (const path of ['/api', '/apis/apps/v1', '/api/v1/namespaces/default']) {
    const { status, body } = await send(api, 'GET', path, { accept: 'Application/JSON' });
    expect(status).toBe(406);
    expect(body.message).toMatch(/^406: Not Acceptable\n\nAvailable representations: application\/json,/);
    expect((await send(api, 'GET', path, { accept: 'application/json;as=' })).status).toBe(200);
  }
  const { body } = await send(api, 'GET', MAPS, { accept: 'text/html' });
  expect(body.message).toContain('application/json;stream=watch');
});

test('parts that nobody prints have no table', async () => {
  await using api = await openTestApi();
  expect((await send(api, 'GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1./status', as('Table'))).status).toBe(
    406,
  );
  expect((await send(api, 'GET', '/api/v1/namespaces/default/status', as('Table'))).status).toBe(200);
});

test('an annotation that is a field in disguise is no metadata', async () => {
  await using api = await openTestApi();
  const labels = { app: 'd' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const sets = '/apis/apps/v1/namespaces/default/daemonsets';
  const set = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: labels }, template },
  };
  const { body } = await api.post(sets, set);
  const counter = 'deprecated.daemonset.template.generation';
  expect(body.metadata.annotations).toEqual({ [counter]: '1' });
  expect(body.metadata.managedFields).toMatchObject([
    { fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${counter}`]: {} } } } },
  ]);
  expect((await send(api, 'GET', `${sets}/d`, as('PartialObjectMetadata'))).body.metadata.annotations).toBeUndefined();
});

test.each([
  ['/api/v1/nodes', 'metadata.namespace', 'field label not supported: metadata.namespace'],
  ['/apis/batch/v1/jobs', 'spec.x', 'field label "spec.x" not supported for Job'],
  ['/apis/apps/v1/replicasets', 'status.replicas', /^"status.replicas" is not a known field selector/],
  [
    '/apis/resource.k8s.io/v1/resourceslices',
    'a',
    'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: a',
  ],
])('%s cannot be selected by %s', async (path, field, message) => {
  await using api = await openTestApi();
  const { status, body } = await api.get(`${path}?fieldSelector=${field}%3Dx`);
  expect(status).toBe(400);
  expect(body.message).toMatch(message);
});

test('a LimitRange without a name is given one', async () => {
  await using api = await openTestApi();
  const { body } = await api.post('/api/v1/namespaces/default/limitranges', {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: {},
    spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
  });
  expect(body.metadata.name).toMatch(/^[0-9a-f]{8}-/);
});

test('events of the newer group go by its name, and are of the kind of the core', async () => {
  await using api = await openTestApi();
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  expect((await api.get(`${events}/none`)).body).toMatchObject({ message: 'events.events.k8s.io "none" not found' });
  const bad = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'bad' } };
  expect((await api.post(events, bad)).body.message).toMatch(/^Event "bad" is invalid/);
});

test('a delete by query names what it expects', async () => {
  await using api = await openTestApi();
  await api.post(MAPS, map('a'));
  expect((await api.delete(`${MAPS}/a?uid=other`)).status).toBe(409);
  expect((await api.delete(`${MAPS}/a?resourceVersion=1`)).status).toBe(409);
  expect((await api.delete(`${MAPS}?resourceVersion=1&resourceVersionMatch=NotOlderThan`)).status).toBe(409);
  expect((await api.delete(`${MAPS}/a?gracePeriodSeconds=`)).body.message).toBe(
    'strconv.ParseInt: parsing "": invalid syntax',
  );
  expect((await api.get(`${MAPS}/a`)).status).toBe(200);
});

test('numbers that do not fit are told from those that are none', async () => {
  await using api = await openTestApi();
  const refused = async (query: string) => (await api.get(`${MAPS}?${query}`)).body.message;
  expect(await refused('limit=9223372036854775808')).toMatch(/value out of range$/);
  expect(await refused('limit=')).toMatch(/invalid syntax$/);
  expect(await refused('limit=1%00')).toBe('strconv.ParseInt: parsing "1\\x00": invalid syntax');
  expect(await refused('resourceVersion=99999999999999999999')).toMatch(/value out of range$/);
  expect((await api.get(`${MAPS}?limit=9223372036854775807`)).status).toBe(200);
});

test('a watch that begins with what is there cannot go on with a list', async () => {
  await using api = await openTestApi();
  expect((await api.get(`${MAPS}?watch=1&continue=abc`)).status).toBe(422);
});

test('pods can be selected by the former names of their fields', async () => {
  await using api = await openTestApi();
  for (const field of ['spec.host', 'status.podIPs']) {
    expect((await api.get(`/api/v1/pods?fieldSelector=${field}%3Dx`)).status).toBe(200);
  }
});

test('whoever takes any version gets the rest of a list at once', async () => {
  await using api = await openTestApi();
  for (const name of ['a', 'b', 'c']) await api.post(MAPS, map(name));
  const first = (await api.get(`${MAPS}?limit=1`)).body.metadata as { continue?: string };
  const { body } = await api.get(`${MAPS}?limit=1&resourceVersion=0&continue=${first.continue}`);
  expect(body.items).toHaveLength(2);
  expect(
    (await api.get(`${MAPS}?limit=1&resourceVersion=0&resourceVersionMatch=NotOlderThan`)).body.items,
  ).toHaveLength(3);
});

test.each(['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])(
  '%s is no method of resources, nor of documents that are routed like them',
  async (method) => {
    await using api = await openTestApi();
    const statusOf = async (path: string) => (await api.server.send(method, path)).status;
    expect(await statusOf('/api/v1/namespaces/default')).toBe(405);
    expect(await statusOf('/apis/apps/v1')).toBe(405);
    expect(await statusOf('/version')).toBe(405);
    expect(await statusOf('/openid/v1/jwks')).toBe(405);
    expect(await statusOf('/apis/apps')).toBe(200);
    expect(await statusOf('/apis/none.example.com/v1/x')).toBe(404);
  },
);

test('the version comes as JSON alone', async () => {
  await using api = await openTestApi();
  const { status, body } = await send(api, 'GET', '/version', { accept: 'text/html' });
  expect(status).toBe(406);
  expect(body.message).toMatch(/Available representations: application\/json$/);
});

test('A table without rows says so with null where the kind has no columns of its own', async () => {
  await using api = await openTestApi();
  const rows = async (path: string) => (await send(api, 'GET', path, as('Table'))).body.rows;
  expect(await rows('/api/v1/namespaces/default/limitranges')).toBeNull();
  expect(await rows('/api/v1/namespaces/default/pods')).toEqual([]);
});

describe('a watch as YAML', () => {
  const YAML_FIRST = { accept: 'application/yaml;q=0.9,application/json;q=0.1' };

  test('is refused even where the client would take JSON too', async () => {
    await using api = await openTestApi();
    const response = await api.server.send('GET', `${MAPS}?watch=true`, { headers: YAML_FIRST });
    expect(response).toMatchObject({ status: 406, headers: { 'content-type': 'application/yaml' } });
  });

  test('is refused after what else is wrong with it', async () => {
    await using api = await openTestApi();
    const response = await api.server.send('GET', `${MAPS}?watch=true&resourceVersion=x`, { headers: YAML_FIRST });
    expect(response.status).toBe(500);
  });
});

test('an error that cannot be had as asked for is written for people', async () => {
  await using api = await openTestApi();
  for (const accept of ['text/html', 'application/json;as=Other']) {
    const { status, body } = await api.server.send('GET', `${MAPS}/none`, { headers: { accept } });
    expect(status).toBe(406);
    expect(Buffer.from(body as Uint8Array).toString()).toMatch(/^\{\n {2}"kind": "Status",/);
  }
});

test('export is no longer', async () => {
  await using api = await openTestApi();
  const path = '/api/v1/namespaces/default';
  expect(await api.get(`${path}?export=true`)).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  expect((await api.get(`${path}?export=false`)).status).toBe(200);
});
