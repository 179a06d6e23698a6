import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { conditionsOf, DEFINITIONS, define, until } from '../../testing/define.ts';
import { textOf } from '../../testing/open-test-server.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../testing/thing-definition.ts';

const PATH = `${DEFINITIONS}/things.example.com`;

test('a definition goes after its objects, and theirs after their finalizers', async () => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1' }]));
  await api.post(thingsAt('v1'), thing('v1', 'free'));
  await api.post(thingsAt('v1'), { ...thing('v1', 'held'), metadata: { name: 'held', finalizers: ['example.com/x'] } });
  await api.delete(PATH);
  await until(api, thingsAt('v1', '/free'), ({ status }) => status === 404);
  const { body } = await api.get(PATH);
  expect(conditionsOf(body).find(({ type }) => type === 'Terminating')).toMatchObject({
    status: 'True',
    reason: 'InstanceDeletionInProgress',
  });
  expect(await api.post(thingsAt('v1'), thing('v1', 'new'))).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('create not allowed while custom resource definition is terminating') },
  });
  await api.merge(thingsAt('v1', '/held'), { metadata: { finalizers: null } });
  await until(api, PATH, ({ status }) => status === 404);
});

test.each(['Foreground', 'Orphan'])('a definition takes no finalizer of %s deletion beside its own', async (policy) => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1' }]));
  await api.post(thingsAt('v1'), thing('v1', 'one'));
  const { body } = await api.delete(PATH, { propagationPolicy: policy });
  expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
  await until(api, PATH, ({ status }) => status === 404);
});

test('objects of a definition that serves no version go with it', async () => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1' }]));
  await api.post(thingsAt('v1'), thing('v1', 'one'));
  await api.merge(PATH, { spec: thingDefinition([{ name: 'v1', served: false }]).spec });
  await api.delete(PATH);
  await until(api, PATH, ({ status }) => status === 404);
  expect(await api.server.store.count({ start: 'example.com/', end: 'example.com0' })).toBe(0);
});

test('a deprecated version says so with every answer', async () => {
  await using api = await openTestApi();
  await define(
    api,
    thingDefinition([
      { name: 'v1' },
      { name: 'v1beta1', deprecated: true },
      { name: 'v1alpha1', deprecated: true, deprecationWarning: 'old' },
    ]),
  );
  const warningsOf = async (version: string) => (await api.get(thingsAt(version, '/none'))).warnings;
  expect(await warningsOf('v1beta1')).toEqual([
    '299 - "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing"',
  ]);
  expect(await warningsOf('v1alpha1')).toEqual(['299 - "old"']);
  expect(await warningsOf('v1')).toEqual([]);
  expect(await api.get(thingsAt('v1alpha1', '/none/scale'))).toMatchObject({ status: 404, warnings: ['299 - "old"'] });
});

test('objects of all namespaces can be listed, and nothing else', async () => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1' }]));
  expect((await api.get('/apis/example.com/v1/things')).status).toBe(200);
  for (const method of ['POST', 'DELETE']) {
    const response = await api.server.send(method, '/apis/example.com/v1/things', { body: {} });
    expect([response.status, await textOf(response)]).toEqual([404, '404 page not found\n']);
  }
});

test('an object is kept by the schema of the stored version, and read with its defaults', async () => {
  await using api = await openTestApi();
  const spec = (properties: JsonObject): JsonObject => ({
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  });
  await define(
    api,
    thingDefinition([
      { name: 'v1', schema: spec({ a: { type: 'string' }, d: { type: 'string', default: 'given' } }) },
      { name: 'v2', schema: spec({ a: { type: 'string' }, b: { type: 'string' }, d: { type: 'string' } }) },
    ]),
  );
  const made = await api.post(thingsAt('v2'), thing('v2', 'one', { spec: { a: 'x', b: 'lost' } }));
  expect(made.body.spec).toEqual({ a: 'x', d: 'given' });
  expect((await api.get(thingsAt('v2', '/one'))).body.spec).toEqual({ a: 'x', d: 'given' });
});

test('a protected group carries the condition of its approval', async () => {
  await using api = await openTestApi();
  const definition = thingDefinition([{ name: 'v1' }], { group: 'things.k8s.io' });
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' };
  const { body } = await define(api, { ...definition, metadata: { name: 'things.things.k8s.io', annotations } });
  expect(conditionsOf(body).at(-1)).toMatchObject({
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: 'False',
    reason: 'UnapprovedAnnotation',
    message: 'not approved: "unapproved, a test"',
  });
});

test('a status that one version guards is nobody’s in another once it was written there', async () => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1' }, { name: 'v2', subresources: { status: {} } }]));
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { n: 1 }, status: { n: 1 } }));
  const { body } = await api.merge(thingsAt('v2', '/one'), { status: { n: 9 } });
  expect(body.status).toEqual({ n: 1 });
  expect(body.metadata.managedFields).toMatchObject([{ apiVersion: 'example.com/v1', fieldsV1: { 'f:spec': {} } }]);
});

test('conditions that somebody took away stay away while the names are as they were accepted', async () => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1' }]));
  const mine = {
    type: 'Mine',
    status: 'True',
    reason: 'Mine',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await api.merge(`${PATH}/status`, { status: { conditions: [mine] } });
  await until(api, '/apis', ({ body }) => !groupsOf(body).includes('example.com'));
  expect(conditionsOf((await api.get(PATH)).body).map(({ type }) => type)).toEqual(['Mine']);
  await api.merge(PATH, { spec: { names: { shortNames: ['th'] } } });
  await until(api, '/apis', ({ body }) => groupsOf(body).includes('example.com'));
});

function groupsOf(body: Readonly<Record<string, unknown>>): string[] {
  return (body.groups as { name: string }[]).map(({ name }) => name);
}

test('what a status leaves alone stays with its owners in every version that has the status apart', async () => {
  await using api = await openTestApi();
  const versions = ['v1', 'v2'].map((name) => ({ name, subresources: { status: {} } }));
  await define(api, thingDefinition([...versions, { name: 'v3' }]));
  const owned = { apiVersion: 'example.com/v1', fieldsV1: { 'f:spec': { 'f:n': {} } } };
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { n: 1 } }));
  const { body } = await api.merge(thingsAt('v2', '/one/status'), { spec: { n: 2 }, status: { n: 9 } });
  expect(body.metadata.managedFields).toMatchObject([owned, { subresource: 'status' }]);

  await api.post(thingsAt('v3'), thing('v3', 'two', { spec: { n: 1 } }));
  const { body: other } = await api.merge(thingsAt('v2', '/two/status'), { spec: { n: 2 }, status: { n: 9 } });
  expect(other.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toContainEqual({ 'f:spec': {} });
});
