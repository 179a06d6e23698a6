import { describe, expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

describe('An event', () => {
  const core = '/api/v1/namespaces/default/events';
  const newer = '/apis/events.k8s.io/v1/namespaces/default/events';
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    message: 'it runs',
    count: 3,
  };

  test('is one object in two groups', async () => {
    await using api = await openTestApi();
    const { body: created } = await api.post(core, event);
    expect((await api.get(`${newer}/e`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion },
      regarding: { name: 'p' },
      note: 'it runs',
      deprecatedCount: 3,
    });
    const { body: list } = await api.get(`${newer}?fieldSelector=regarding.name%3Dp`);
    expect(list).toMatchObject({ kind: 'EventList', items: [{ note: 'it runs' }] });
    await api.delete(`${newer}/e`);
    expect((await api.get(`${core}/e`)).status).toBe(404);
  });

  test('is gone after an hour, and an update gives it another', async () => {
    await using api = await openTestApi();
    const { clock } = api.server;
    await api.post(core, event);
    await clock.advance(40 * 60_000);
    await api.merge(`${core}/e`, { count: 4 });
    await clock.advance(40 * 60_000);
    expect((await api.get(`${core}/e`)).status).toBe(200);
    await clock.advance(21 * 60_000);
    expect((await api.get(`${core}/e`)).status).toBe(404);
  });
});

describe('An autoscaler', () => {
  test('of version 1 is given back with the annotations that the server would write', async () => {
    await using api = await openTestApi();
    const behavior = 'autoscaling.alpha.kubernetes.io/behavior';
    const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    const post = async (text: string) => {
      const metadata = { name: 'h', annotations: { [behavior]: text } };
      const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };
      const { body } = await api.post(`${path}?dryRun=All`, { apiVersion: 'autoscaling/v1', metadata, spec });
      return body.message ?? (body.metadata as { annotations?: Record<string, string> }).annotations?.[behavior];
    };
    expect(await post('{}')).toBeUndefined();
    expect(await post('nonsense')).toBeUndefined();
    expect(await post('{"scaleDown":{"stabilizationWindowSeconds":3}}')).toContain('spec.behavior.scaleDown.policies');
    const policies = [{ Type: 'Pods', Value: 1, PeriodSeconds: 5 }];
    expect(await post(JSON.stringify({ scaleUp: { policies, selectPolicy: 'Max' } }))).toContain('"ScaleUp":{');
  });

  test('is the same object in both versions', async () => {
    await using api = await openTestApi();
    const at = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 55,
    };
    const metadata = { name: 'h' };
    await api.post(at('v1'), { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata, spec });
    const target = { type: 'Utilization', averageUtilization: 55 };
    expect((await api.get(`${at('v2')}/h`)).body).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: { maxReplicas: 5, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] },
    });
    expect((await api.get(`${at('v1')}/h`)).body).toMatchObject({ apiVersion: 'autoscaling/v1', spec });
  });
});

describe('Component statuses', () => {
  test('tell of the store and of their own end', async () => {
    await using api = await openTestApi();
    const { body, warnings } = await api.get('/api/v1/componentstatuses');
    expect(body).toMatchObject({
      kind: 'ComponentStatusList',
      items: [{ metadata: { name: 'etcd-0' }, conditions: [{ type: 'Healthy', status: 'True' }] }],
    });
    expect(warnings[0]).toContain('deprecated');
    expect((await api.get('/api/v1/componentstatuses/none')).status).toBe(404);
    expect((await api.post('/api/v1/componentstatuses', {})).status).toBe(405);
    expect((await api.get('/api/v1/componentstatuses?watch=1')).body.message).toBe(
      'watch is not supported on resources of kind "componentstatuses"',
    );
  });
});

describe('A review', () => {
  const jane = { username: 'jane', groups: ['devs'] };

  test('of oneself tells whom the server sees', async () => {
    await using api = await openTestApi();
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    expect(await api.post(`${AUTHENTICATION}/selfsubjectreviews`, review)).toMatchObject({
      status: 201,
      body: { status: { userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] } } },
    });
  });

  test('of a token tells whom it stands for', async () => {
    const authenticator = {
      authenticate: ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
        headers.authorization === 'Bearer good' ? { user: jane, source: 'test' } : undefined,
    };
    await using api = await openTestApi({ authenticator });
    const ask = async (token?: string) => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
      return await api.post(`${AUTHENTICATION}/tokenreviews`, review);
    };
    const user = { username: 'jane', groups: ['devs', 'system:authenticated'] };
    expect((await ask('good')).body.status).toMatchObject({ authenticated: true, user });
    expect((await ask('bad')).body.status).toEqual({ error: 'invalid bearer token', user: {} });
    expect((await ask()).status).toBe(400);
  });

  test('of access asks the authorizer', async () => {
    await using api = await openTestApi();
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };
    const ask = (kind: string, path: string, spec: object) =>
      api.post(`${AUTHORIZATION}/${path}`, { apiVersion: 'authorization.k8s.io/v1', kind, spec });
    const may = (spec: object) => ask('SubjectAccessReview', 'subjectaccessreviews', spec);
    expect((await may({ user: 'jane', resourceAttributes })).body.status).toMatchObject({ allowed: false });
    const master = { user: 'root', groups: ['system:masters'], resourceAttributes };
    expect((await may(master)).body.status).toMatchObject({ allowed: true });
    expect((await may({ resourceAttributes })).status).toBe(422);
    expect((await may({ user: 'jane' })).status).toBe(422);
    const own = await ask('SelfSubjectAccessReview', 'selfsubjectaccessreviews', { resourceAttributes });
    expect(own).toMatchObject({ status: 201, body: { status: { allowed: true } } });
    const local = 'namespaces/kube-system/localsubjectaccessreviews';
    expect((await ask('LocalSubjectAccessReview', local, { user: 'jane', resourceAttributes })).status).toBe(422);
  });

  test('of rules lists what the authorizer tells', async () => {
    await using api = await openTestApi();
    const ask = (spec: object) => {
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec };
      return api.post(`${AUTHORIZATION}/selfsubjectrulesreviews`, review);
    };
    expect((await ask({ namespace: 'default' })).body.status).toMatchObject({
      resourceRules: expect.arrayContaining([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]),
      nonResourceRules: expect.arrayContaining([{ verbs: ['*'], nonResourceURLs: ['*'] }]),
      incomplete: false,
    });
    expect((await ask({})).status).toBe(400);
  });

  test('is not kept: it can neither be listed nor named', async () => {
    await using api = await openTestApi();
    expect((await api.get(`${AUTHORIZATION}/subjectaccessreviews`)).status).toBe(405);
    expect((await api.get(`${AUTHORIZATION}/subjectaccessreviews/x`)).status).toBe(404);
    expect((await api.post(`${AUTHORIZATION}/localsubjectaccessreviews`, {})).status).toBe(404);
  });

  test('in a version of old is told apart from one that never was', async () => {
    await using api = await openTestApi();
    const ask = async (apiVersion: string) =>
      (await api.post(`${AUTHORIZATION}/subjectaccessreviews`, { apiVersion, kind: 'SubjectAccessReview' })).body
        .message;
    expect(await ask('authorization.k8s.io/v1beta1')).toContain('does not match the expected API version');
    expect(await ask('authorization.k8s.io/v9')).toContain('is registered for version');
  });
});
