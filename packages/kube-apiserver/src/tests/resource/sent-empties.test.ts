import { expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const policy = (spec: object) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'a' },
  spec,
});

async function generationAfterPut(api: TestApi, spec: object): Promise<unknown> {
  const { body } = await api.put(`${policies}/a`, policy(spec));
  return body.metadata.generation;
}

test('a list or map that is sent empty is a new generation of a network policy, each time, though it is not stored', async () => {
  await using api = await openTestApi();
  await api.post(policies, policy({ podSelector: {} }));
  expect(await generationAfterPut(api, { podSelector: {}, ingress: [] })).toBe(2);
  expect(await generationAfterPut(api, { podSelector: {}, ingress: [] })).toBe(3);
  expect(await generationAfterPut(api, { podSelector: { matchLabels: {} } })).toBe(4);
  expect(await generationAfterPut(api, { podSelector: {} })).toBe(4);
  const { body } = await api.merge(`${policies}/a`, { spec: { egress: [] } });
  expect(body.metadata.generation).toBe(5);
  expect(body).toMatchObject({ spec: { podSelector: {}, policyTypes: ['Ingress'] } });
  expect(body.spec).not.toHaveProperty('egress');
});

test('a list that is sent empty is told from none where something is wrong with it', async () => {
  await using api = await openTestApi();
  const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  const send = async (spec: object): Promise<unknown> => {
    const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'a' }, spec };
    return (await api.post(path, ingress)).body.message;
  };
  expect(await send({ rules: [] })).toContain('spec: Invalid value: []: either');
  expect(await send({})).toContain('spec: Invalid value: null: either');
});

test('an empty list in the place of none changes nothing that must not change', async () => {
  await using api = await openTestApi();
  const sets = '/apis/apps/v1/namespaces/default/statefulsets';
  const set = (more: object) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: { a: 'b' }, ...more },
      serviceName: 'a',
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  });
  await api.post(sets, set({}));
  const { status, body } = await api.put(`${sets}/a`, set({ matchExpressions: [] }));
  expect([status, body.metadata.generation]).toEqual([200, 1]);
});
