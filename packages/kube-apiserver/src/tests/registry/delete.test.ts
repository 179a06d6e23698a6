import { encodeProtobufObject } from '@pintle/apiserver/testing';
import { describe, expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';
import { openTestApi } from '../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const HOLD = 'example.com/hold';

function map(name: string, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
}

function pod(name: string, spec: object = {}) {
  const containers = [{ name: 'c', image: 'i' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
}

describe('DELETE answers', () => {
  test.each([
    ['%2e', 'Name parameter invalid: ".": may not be \'.\''],
    ['..', 'Name parameter invalid: "..": may not be \'..\''],
    ['a%25b', 'Name parameter invalid: "a%b": may not contain \'%\''],
  ])('with 400 for %s, which no object can be called', async (name, message) => {
    await using api = await openTestApi();
    expect(await api.delete(`${MAPS}/${name}`)).toMatchObject({ status: 400, body: { reason: 'BadRequest', message } });
  });

  test('with a Status for most kinds and with the object for some', async () => {
    await using api = await openTestApi();
    const { body: created } = await api.post(MAPS, map('a'));
    expect(await api.delete(`${MAPS}/a`)).toMatchObject({
      status: 200,
      body: { kind: 'Status', details: { name: 'a', kind: 'configmaps', uid: created.metadata.uid } },
    });
    await api.post(PODS, pod('p'));
    expect((await api.delete(`${PODS}/p`)).body).toMatchObject({ kind: 'Pod', metadata: { name: 'p' } });
    expect((await api.get(`${PODS}/p`)).status).toBe(404);
  });

  test('with 202 when dependents were to go and the object waits', async () => {
    await using api = await openTestApi();
    await api.post(MAPS, map('held', { finalizers: [HOLD] }));
    expect((await api.delete(`${MAPS}/held`, { orphanDependents: false })).status).toBe(202);
  });

  test('by options in YAML as well', async () => {
    await using api = await openTestApi();
    await api.post(MAPS, map('a'));
    const headers = { 'content-type': 'application/yaml' };
    const response = await api.server.send('DELETE', `${MAPS}/a`, { body: 'dryRun: [All]\n', headers });
    expect(JSON.parse(await textOf(response))).toMatchObject({ status: 'Success' });
    expect((await api.get(`${MAPS}/a`)).status).toBe(200);
  });

  test.each(['v1', 'apps/v1', 'meta.k8s.io/v1'])('by options in protobuf, as %s has them', async (apiVersion) => {
    await using api = await openTestApi();
    await api.post(PODS, pod('p', { nodeName: 'n' }));
    const body = encodeProtobufObject({ apiVersion, kind: 'DeleteOptions', gracePeriodSeconds: 7 });
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const response = await api.server.send('DELETE', `${PODS}/p`, { body, headers });
    expect(JSON.parse(await textOf(response))).toMatchObject({ metadata: { deletionGracePeriodSeconds: 7 } });
  });

  test('with a warning when the pods of a job stay', async () => {
    await using api = await openTestApi();
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await api.post(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } });
    const { body, warnings } = await api.delete(`${jobs}/j`);
    expect(warnings).toHaveLength(1);
    expect(body.metadata.finalizers).toContain('orphan');
  });
});

describe('Preconditions', () => {
  test('keep a delete from another object of the same name', async () => {
    await using api = await openTestApi();
    await api.post(MAPS, map('a'));
    const { status, body } = await api.delete(`${MAPS}/a`, { preconditions: { uid: 'another' } });
    expect([status, body.reason]).toEqual([409, 'Conflict']);
    expect((await api.delete(`${MAPS}/a`, { preconditions: { resourceVersion: '1' } })).status).toBe(409);
    expect((await api.get(`${MAPS}/a`)).status).toBe(200);
  });
});

describe('A finalizer', () => {
  test('holds the object until the update that removes it', async () => {
    await using api = await openTestApi();
    await api.post(MAPS, map('a', { finalizers: [HOLD] }));
    const { body: marked } = await api.delete(`${MAPS}/a`);
    expect(marked.metadata).toMatchObject({ deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 });
    expect((await api.post(MAPS, map('a'))).body.message).toContain('object is being deleted');
    const last = await api.merge(`${MAPS}/a`, { metadata: { finalizers: null } });
    expect(last.status).toBe(200);
    expect(last.body.metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
    expect((await api.get(`${MAPS}/a`)).status).toBe(404);
  });
});

describe('Deleting a collection', () => {
  test('takes what a list with the same selector shows, and tells what that was', async () => {
    await using api = await openTestApi();
    await api.post(MAPS, map('a', { labels: { tier: 'x' } }));
    await api.post(MAPS, map('b', { labels: { tier: 'x' }, finalizers: [HOLD] }));
    await api.post(MAPS, map('c'));
    const { body } = await api.delete(`${MAPS}?labelSelector=tier%3Dx`);
    expect(body).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
    const left = (await api.get(MAPS)).body as unknown as { items: { metadata: { name: string } }[] };
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
    expect((await api.get(`${MAPS}/b`)).body.metadata.deletionTimestamp).toBeDefined();
  });
});

describe('A namespace', () => {
  test('ends when /finalize takes its last finalizer', async () => {
    await using api = await openTestApi();
    const path = '/api/v1/namespaces/team';
    await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    expect((await api.delete(path)).body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    const late = await api.post('/api/v1/namespaces/team/configmaps', map('late'));
    expect(late).toMatchObject({ status: 403, body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } } });
    const { body } = await api.get(path);
    expect((await api.put(`${path}/finalize`, { ...body, spec: { finalizers: [] } })).status).toBe(200);
    expect((await api.get(path)).status).toBe(404);
  });

  test.each(['default', 'kube-system', 'kube-public'])('%s is for ever', async (name) => {
    await using api = await openTestApi();
    expect(await api.delete(`/api/v1/namespaces/${name}`)).toMatchObject({
      status: 403,
      body: { message: `namespaces "${name}" is forbidden: this namespace may not be deleted` },
    });
  });
});

describe('options of a wrong type', () => {
  test.each([
    [{ gracePeriodSeconds: 1.5 }, 'number 1.5', 'gracePeriodSeconds', 'int64'],
    [{ propagationPolicy: 5 }, 'number', 'propagationPolicy', 'v1.DeletionPropagation'],
    [{ orphanDependents: 'x' }, 'string', 'orphanDependents', 'bool'],
    [{ dryRun: 'All' }, 'string', 'dryRun', '[]string'],
    [{ preconditions: 'x' }, 'string', 'preconditions', 'v1.Preconditions'],
  ])('are refused: %j', async (options, found, field, type) => {
    await using api = await openTestApi();
    await api.post(MAPS, map('a'));
    const message = `json: cannot unmarshal ${found} into Go struct field DeleteOptions.${field} of type ${type}`;
    expect(await api.delete(`${MAPS}/a`, options)).toMatchObject({ status: 400, body: { message } });
    expect((await api.get(`${MAPS}/a`)).status).toBe(200);
  });

  test.each(['1e1', '1.0'])('are refused: a period written as %s', async (period) => {
    await using api = await openTestApi();
    await api.post(MAPS, map('a'));
    const headers = { 'content-type': 'application/json' };
    const body = `{"gracePeriodSeconds":${period}}`;
    const response = await api.server.send('DELETE', `${MAPS}/a`, { body, headers });
    expect([response.status, await textOf(response)]).toEqual([400, expect.stringContaining(`number ${period} into`)]);
  });
});

test('a pod that may take longer than any clock can be deleted', async () => {
  await using server = await openTestServer();
  const spec =
    '"containers":[{"name":"c","image":"i"}],"nodeName":"n","terminationGracePeriodSeconds":9223372036854775807';
  const pods = '/api/v1/namespaces/default/pods';
  expect((await server.send('POST', pods, { body: `{"metadata":{"name":"a"},"spec":{${spec}}}` })).status).toBe(201);
  const answer = await server.send('DELETE', `${pods}/a`);
  expect(answer.status).toBe(200);
  expect(JSON.parse(await textOf(answer)).metadata.deletionTimestamp).toMatch(/^2318-/);
  expect((await server.send('DELETE', `${pods}/a?gracePeriodSeconds=0`)).status).toBe(200);
  expect((await server.send('GET', `${pods}/a`)).status).toBe(404);
});

test('an update keeps the time of a deletion that has begun', async () => {
  await using api = await openTestApi();
  await api.post(MAPS, map('a', { finalizers: [HOLD] }));
  const { body: marked } = await api.delete(`${MAPS}/a`);
  const { deletionTimestamp } = marked.metadata;
  const changed = map('a', { finalizers: [HOLD], deletionTimestamp: '2020-01-01T00:00:00Z' });
  expect(await api.put(`${MAPS}/a`, changed)).toMatchObject({ status: 200, body: { metadata: { deletionTimestamp } } });
});
