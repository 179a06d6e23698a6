import { expect, test } from 'vitest';
import { define } from '../../testing/define.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../testing/thing-definition.ts';

const scale = {
  specReplicasPath: '.spec.pool.size',
  statusReplicasPath: '.status.ready',
  labelSelectorPath: '.status.selector',
};

async function openThings() {
  const api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1', subresources: { scale } }]));
  return api;
}

test('a scale shows and sets the replicas where the definition says they are', async () => {
  await using api = await openThings();
  const status = { ready: 1, selector: 'a=b' };
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size: 2 } }, status }));
  const shown = await api.get(thingsAt('v1', '/one/scale'));
  expect(shown.body).toMatchObject({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    spec: { replicas: 2 },
    status: { replicas: 1, selector: 'a=b' },
  });
  const put = await api.put(thingsAt('v1', '/one/scale'), { ...shown.body, spec: { replicas: 5 } });
  expect(put).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
  expect((await api.get(thingsAt('v1', '/one'))).body).toMatchObject({
    spec: { pool: { size: 5 } },
    metadata: { generation: 2 },
  });
});

test('a scale is applied where that changes nothing, and conflicts are told before it is refused', async () => {
  await using api = await openThings();
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size: 2 } } }));
  const apply = async (manager: string, replicas: number): Promise<unknown> => {
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'one' }, spec: { replicas } };
    const answer = await api.apply(thingsAt('v1', '/one/scale'), manager, body);
    return [answer.status, answer.body.message ?? answer.body.spec];
  };
  expect(await apply('me', 3)).toEqual([409, expect.stringContaining('conflict with "unknown"')]);
  expect(await apply('me', 2)).toEqual([200, { replicas: 2 }]);
  expect(await apply('me&force=true', 3)).toEqual([
    500,
    'failed to convert new object (/one; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1',
  ]);
});

test('an object without replicas has no scale to show, but one can be set', async () => {
  await using api = await openThings();
  await api.post(thingsAt('v1'), thing('v1', 'bare'));
  expect(await api.get(thingsAt('v1', '/bare/scale'))).toMatchObject({
    status: 500,
    body: { message: 'Internal error occurred: the spec replicas field ".spec.pool.size" does not exist' },
  });
  expect(await api.merge(thingsAt('v1', '/bare/scale'), { metadata: { labels: { a: 'b' } } })).toMatchObject({
    status: 400,
    body: { message: 'the spec replicas field ".spec.pool.size" cannot be empty' },
  });
  expect(await api.merge(thingsAt('v1', '/bare/scale'), { spec: { replicas: 3 } })).toMatchObject({ status: 200 });
  expect((await api.get(thingsAt('v1', '/bare'))).body.spec).toEqual({ pool: { size: 3 } });
});

test.each<[unknown, string]>([
  [-1, '.spec.pool.size: Invalid value: -1: should be a non-negative integer'],
  ['x', '.spec.pool.size: Invalid value: 0: .spec.pool.size accessor error: x is of the type string, expected int64'],
  [2 ** 31, '.spec.pool.size: Invalid value: 2147483648: should be less than or equal to 2147483647'],
  [{ a: [1] }, 'map[a:[1]] is of the type map[string]interface {}, expected int64'],
])('replicas of %j are refused', async (size, message) => {
  await using api = await openThings();
  const refused = await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size } } }));
  expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining(message) } });
});

test('what is wrong with a scale that cannot be read does not come out', async () => {
  await using api = await openThings();
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size: 2 } } }));
  const wrong = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'one' }, spec: { replicas: 'x' } };
  expect(await api.put(thingsAt('v1', '/one/scale'), wrong)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('no kind is registered for the type v1.Scale') },
  });
});

test('a selector that is no text is refused with the status, and does not stand in the way of the spec', async () => {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1', subresources: { status: {}, scale } }]));
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size: 2 } } }));
  expect(await api.merge(thingsAt('v1', '/one/status'), { status: { selector: ['a'] } })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('.status.selector accessor error: [a] is of the type []interface {}') },
  });
  expect(await api.get(thingsAt('v1', '/one/scale'))).toMatchObject({ status: 200, body: { spec: { replicas: 2 } } });
});

test('a table of a scale shows none where no replicas are wanted', async () => {
  await using api = await openThings();
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size: 0 } } }));
  const { body } = await api.get(thingsAt('v1', '/one/scale'), {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  expect(body.rows).toMatchObject([{ cells: ['one', null, 0, expect.any(String)] }]);
});

test('replicas that are taken away by a patch are none', async () => {
  await using api = await openThings();
  await api.post(thingsAt('v1'), thing('v1', 'bare'));
  const answer = await api.merge(thingsAt('v1', '/bare/scale?dryRun=All'), { spec: { replicas: 3 } });
  expect(answer).toMatchObject({ status: 200, body: { spec: { replicas: 3 }, status: { replicas: 0 } } });
  const unset = await api.merge(thingsAt('v1', '/bare/scale?dryRun=All'), { spec: { replicas: null } });
  expect(unset.body.spec).toEqual({});
});

test('what a scale makes of nothing has its defaults, which whoever writes next does not own', async () => {
  await using api = await openTestApi();
  const spec = { type: 'object', properties: { n: { type: 'integer' }, kept: { type: 'string', default: 'x' } } };
  const schema = { type: 'object', properties: { spec } };
  const subresources = { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
  await define(api, thingDefinition([{ name: 'v1', schema, subresources }]));
  await api.post(thingsAt('v1'), thing('v1', 'bare', { metadata: { name: 'bare', labels: { a: 'b' } } }));
  await api.merge(thingsAt('v1', '/bare/scale'), { spec: { replicas: 2 } });
  const { body } = await api.merge(thingsAt('v1', '/bare'), { metadata: { labels: { a: 'c' } } });
  expect(body).toMatchObject({ spec: { n: 2, kept: 'x' }, metadata: { generation: 2 } });
  expect(JSON.stringify(body.metadata.managedFields)).not.toContain('kept');
});

test('replicas that are no number are told of before the objects inside, and a status of null is none', async () => {
  await using api = await openTestApi();
  const inner = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const spec = { type: 'object', properties: { n: { type: 'integer' }, inner } };
  const schema = { type: 'object', properties: { spec, status: { type: 'object' } } };
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
  await define(api, thingDefinition([{ name: 'v1', schema, subresources }]));
  const { body } = await api.post(thingsAt('v1'), thing('v1', 'odd', { spec: { n: 'x', inner: {} } }));
  expect(body.details).toMatchObject({
    causes: [
      { field: 'spec.n' },
      { field: '.spec.n' },
      { field: 'spec.inner.apiVersion' },
      { field: 'spec.inner.kind' },
    ],
  });
  await api.post(thingsAt('v1'), thing('v1', 'one'));
  const applied = await api.apply(thingsAt('v1', '/one/status'), 'm', thing('v1', 'one', { status: null }));
  expect([applied.status, applied.body.status]).toEqual([200, undefined]);
});

test('a scale is asked for in the forms that custom resources have', async () => {
  await using api = await openThings();
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { pool: { size: 2 } } }));
  const ask = async (accept: string) => (await api.get(thingsAt('v1', '/one/scale'), { headers: { accept } })).body;
  expect(await ask('application/*')).toMatchObject({ kind: 'Scale' });
  expect(await ask('application/cbor')).toMatchObject({
    message: expect.stringMatching(/^only the following media types are accepted: /),
  });
  expect(await ask('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io')).toMatchObject({
    message: expect.stringMatching(/is not a list \(\*v1\.Scale\)$/),
  });
});

test('replicas outside the schema can be set, but are neither stored nor shown', async () => {
  await using api = await openTestApi();
  const schema = { type: 'object', properties: { spec: { type: 'object' } } };
  await define(api, thingDefinition([{ name: 'v1', schema, subresources: { scale } }]));
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: {} }));
  const put = await api.put(thingsAt('v1', '/one/scale'), {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'one' },
    spec: { replicas: 7 },
  });
  expect(put).toMatchObject({ status: 200, body: { spec: {}, status: { replicas: 0 } } });
  expect(put.body.spec).toEqual({});
  const { body } = await api.get(thingsAt('v1', '/one'));
  expect([body.spec, body.metadata.generation]).toEqual([{}, 2]);
  expect(await api.get(thingsAt('v1', '/one/scale'))).toMatchObject({ status: 500 });
  await api.merge(thingsAt('v1', '/one/scale'), { spec: { replicas: 7 } });
  expect((await api.get(thingsAt('v1', '/one'))).body.metadata.generation).toBe(3);
});
