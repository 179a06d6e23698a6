import { describe, expect, test, vi } from 'vitest';
import { textOf } from '../../testing/open-test-server.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const PODS = '/api/v1/namespaces/default/pods';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const RANGES = '/api/v1/namespaces/default/limitranges';
const named = (kind: string, name: string, fields: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...fields,
});
const pod = (name: string, resources: object = {}) =>
  named('Pod', name, { spec: { containers: [{ name: 'app', image: 'app', resources }] } });

/** A quota whose status somebody has filled, as the controller does. */
async function limit(api: TestApi, hard: Record<string, string>): Promise<void> {
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  await api.post(QUOTAS, named('ResourceQuota', 'all', { spec: { hard } }));
  const { body } = await api.get(`${QUOTAS}/all`);
  await api.put(`${QUOTAS}/all/status`, { ...body, status: { hard, used } });
}

async function used(api: TestApi): Promise<unknown> {
  return ((await api.get(`${QUOTAS}/all`)).body.status as { used: unknown }).used;
}

describe('ResourceQuota', () => {
  test('of many writes at once no more pass than fit, and each counts', async () => {
    await using api = await openTestApi();
    await limit(api, { secrets: '5' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.post(SECRETS, named('Secret', `s${i}`))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(15);
    expect(await used(api)).toEqual({ secrets: '5' });
  });

  test('writes that meet each other at the quotas of their namespace take turns instead of working in vain', async () => {
    await using api = await openTestApi();
    await limit(api, { secrets: '50' });
    const get = vi.spyOn(api.server.store, 'get');
    const writes = 30;
    await Promise.all(Array.from({ length: writes }, (_, i) => api.post(SECRETS, named('Secret', `s${i}`))));
    const reads = get.mock.calls.filter(([key]) => Buffer.from(key as never).includes('resourcequotas')).length;
    expect(await used(api)).toEqual({ secrets: String(writes) });
    expect(reads).toBeGreaterThanOrEqual(writes);
    expect(reads).toBeLessThanOrEqual(3 * writes);
  });

  test('what a write takes is noted by the server, which owns that from then on', async () => {
    await using api = await openTestApi();
    await limit(api, { secrets: '5', configmaps: '5' });
    await api.post(SECRETS, named('Secret', 'a'));
    const { metadata } = (await api.get(`${QUOTAS}/all`)).body;
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'kube-apiserver',
        operation: 'Update',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:used': { 'f:secrets': {} } } },
      }),
    );
  });

  test('a write that fails for another reason takes nothing', async () => {
    await using api = await openTestApi();
    await limit(api, { secrets: '5' });
    await api.post(SECRETS, named('Secret', 'a'));
    expect(await api.post(SECRETS, named('Secret', 'a'))).toMatchObject({ status: 409 });
    await api.post(`${SECRETS}?dryRun=All`, named('Secret', 'b'));
    expect(await used(api)).toEqual({ secrets: '1' });
  });

  test('pods that are given an end are counted by the quotas of such pods from then on', async () => {
    await using api = await openTestApi();
    await api.post(QUOTAS, named('ResourceQuota', 'all', { spec: { hard: { pods: '1' }, scopes: ['Terminating'] } }));
    const { body } = await api.get(`${QUOTAS}/all`);
    await api.put(`${QUOTAS}/all/status`, { ...body, status: { hard: { pods: '1' }, used: { pods: '0' } } });
    for (const name of ['a', 'b']) await api.post(PODS, pod(name));
    const end = async (name: string) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const change = { headers, body: { spec: { activeDeadlineSeconds: 5 } } };
      return (await api.server.send('PATCH', `${PODS}/${name}`, change)).status;
    };
    expect([await end('a'), await end('b')]).toEqual([200, 403]);
    expect(await used(api)).toEqual({ pods: '1' });
  });

  test('pods that say what the whole takes need not say what each container does', async () => {
    await using api = await openTestApi();
    await limit(api, { cpu: '1', memory: '1Gi' });
    const spec = { resources: { requests: { cpu: '3' } }, containers: [{ name: 'app', image: 'app' }] };
    expect((await api.post(PODS, named('Pod', 'whole', { spec }))).body.message).toContain('requested: cpu=3');
  });

  test('pods say what they take, and are refused what is not there', async () => {
    await using api = await openTestApi();
    await limit(api, { 'requests.cpu': '1', 'limits.memory': '1Gi' });
    expect((await api.post(PODS, pod('bare'))).body.message).toBe(
      'pods "bare" is forbidden: failed quota: all: must specify limits.memory for: app; requests.cpu for: app',
    );
    const sized = { requests: { cpu: '600m' }, limits: { memory: '256Mi' } };
    expect((await api.post(PODS, pod('a', sized))).status).toBe(201);
    expect((await api.post(PODS, pod('b', sized))).body.message).toBe(
      'pods "b" is forbidden: exceeded quota: all, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    expect(await used(api)).toEqual({ 'limits.memory': '256Mi', 'requests.cpu': '600m' });
  });
});

describe('LimitRanger', () => {
  test('what a pod takes as a whole follows from what its containers were given', async () => {
    await using api = await openTestApi();
    const limits = [{ type: 'Container', defaultRequest: { memory: '10Mi' } }];
    await api.post(RANGES, named('LimitRange', 'range', { spec: { limits } }));
    const { spec } = pod('a') as { spec?: object };
    const whole = { resources: { limits: { cpu: '9' } } };
    const { body } = await api.post(PODS, named('Pod', 'a', { spec: { ...spec, ...whole } }));
    expect(body.spec).toMatchObject({ resources: { requests: { memory: '10Mi' } } });
  });

  const range = {
    type: 'Container',
    max: { cpu: '2' },
    min: { cpu: '100m' },
    default: { cpu: '500m' },
    defaultRequest: { cpu: '250m' },
  };

  test('and a quota hold for what a pod is resized to', async () => {
    await using api = await openTestApi();
    const limits = [{ type: 'Container', max: { cpu: '2' } }];
    await api.post(RANGES, named('LimitRange', 'range', { spec: { limits } }));
    await limit(api, { 'requests.cpu': '1' });
    await api.post(PODS, pod('a', { requests: { cpu: '500m' }, limits: { cpu: '1' } }));
    const resize = async (resources: object) => {
      const body = { spec: { containers: [{ name: 'app', resources }] } };
      const headers = { 'content-type': 'application/strategic-merge-patch+json' };
      const answer = await api.server.send('PATCH', `${PODS}/a/resize`, { headers, body });
      return textOf(answer);
    };
    expect(await resize({ limits: { cpu: '3' } })).toContain('maximum cpu usage per Container is 2, but limit is 3');
    expect(await resize({ requests: { cpu: '1500m' }, limits: { cpu: '2' } })).toContain('requested: requests.cpu=1');
    await resize({ requests: { cpu: '900m' } });
    expect(await used(api)).toEqual({ 'requests.cpu': '900m' });
  });

  test('fills in what containers do not say', async () => {
    await using api = await openTestApi();
    await api.post(RANGES, named('LimitRange', 'r', { spec: { limits: [range] } }));
    expect((await api.post(PODS, pod('a'))).body).toMatchObject({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu request for container app; cpu limit for container app',
        },
      },
      spec: { containers: [{ resources: { requests: { cpu: '250m' }, limits: { cpu: '500m' } } }] },
    });
  });

  test('refuses what is out of range', async () => {
    await using api = await openTestApi();
    await api.post(RANGES, named('LimitRange', 'r', { spec: { limits: [range, { type: 'Pod', max: { cpu: '2' } }] } }));
    const { body } = await api.post(PODS, pod('a', { limits: { cpu: '3' } }));
    expect(body.message).toBe(
      'pods "a" is forbidden: [maximum cpu usage per Container is 2, but limit is 3, maximum cpu usage per Pod is 2, but limit is 3]',
    );
  });
});
