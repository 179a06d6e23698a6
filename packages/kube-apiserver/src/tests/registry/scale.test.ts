import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const SCALE = `${DEPLOYMENTS}/web/scale`;

async function openWithDeployment(replicas = 3): Promise<TestApi> {
  const api = await openTestApi();
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] };
  await api.post(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { kept: 'yes' } },
    spec: { replicas, selector, template },
  });
  return api;
}

describe('scale', () => {
  test('shows the replicas and the selector of a workload, under its own identity', async () => {
    await using api = await openWithDeployment();
    const { body: parent } = await api.get(`${DEPLOYMENTS}/web`);
    const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
    expect((await api.get(SCALE)).body).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 3 },
      status: { replicas: 0, selector: 'app=web,!tier' },
    });
  });

  test('changes the replicas and nothing else', async () => {
    await using api = await openWithDeployment();
    const { body: scale } = await api.get(SCALE);
    const written = await api.put(SCALE, { ...scale, spec: { replicas: 5 } });
    expect(written).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 5 } } });
    expect((await api.get(`${DEPLOYMENTS}/web`)).body).toMatchObject({
      metadata: { generation: 2, labels: { kept: 'yes' }, resourceVersion: written.body.metadata.resourceVersion },
      spec: { replicas: 5 },
    });
  });

  test('refuses an update of a state that is gone', async () => {
    await using api = await openWithDeployment();
    const { body: stale } = await api.get(SCALE);
    await api.merge(SCALE, { spec: { replicas: 1 } });
    expect(await api.put(SCALE, { ...stale, spec: { replicas: 9 } })).toMatchObject({
      status: 409,
      body: { details: { group: 'apps', kind: 'deployments', name: 'web' } },
    });
  });

  test('refuses less than nothing', async () => {
    await using api = await openWithDeployment();
    expect(await api.merge(SCALE, { spec: { replicas: -1 } })).toMatchObject({
      status: 422,
      body: { details: { group: 'autoscaling', kind: 'Scale', causes: [{ field: 'spec.replicas' }] } },
    });
  });

  test('writes nothing in a dry run', async () => {
    await using api = await openWithDeployment();
    const { body } = await api.merge(`${SCALE}?dryRun=All`, { spec: { replicas: 7 } });
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 7 } });
    expect((await api.get(SCALE)).body).toMatchObject({ spec: { replicas: 3 } });
  });

  test('leaves out a count of none', async () => {
    await using api = await openWithDeployment(0);
    expect((await api.get(SCALE)).body.spec).toEqual({});
  });

  test('of nothing is not found', async () => {
    await using api = await openTestApi();
    expect((await api.get(SCALE)).body.message).toBe('deployments.apps "web" not found');
    expect((await api.delete(SCALE)).status).toBe(405);
  });
});
