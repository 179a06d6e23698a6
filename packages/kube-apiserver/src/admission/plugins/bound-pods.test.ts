import { expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const CORE = '/api/v1/namespaces/default';
const ZONE = 'topology.kubernetes.io/zone';

async function openWithNode(labels: Record<string, string> = {}, status: object = {}): Promise<TestApi> {
  const api = await openTestApi();
  await api.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels } });
  await api.merge('/api/v1/nodes/n/status', { status: { allocatable: { cpu: '2', memory: '1Gi' }, ...status } });
  return api;
}

const requests = (cpu: string) => ({ requests: { cpu, memory: '1Mi' } });
const pod = (spec: object = {}, labels: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels },
  spec: { containers: [{ name: 'c', image: 'i', resources: requests('1') }], ...spec },
});
const resized = (cpu: string) => ({ spec: { containers: [{ name: 'c', image: 'i', resources: requests(cpu) }] } });

const resize = async (api: TestApi, patch: object) => (await api.merge(`${CORE}/pods/p/resize`, patch)).body;

test('a pod is labelled with the place of its node, when it starts there and when it is put there', async () => {
  await using api = await openWithNode({ [ZONE]: 'z', other: 'o' });
  const started = await api.post(`${CORE}/pods`, pod({ nodeName: 'n' }, { [ZONE]: 'wrong', a: 'b' }));
  expect(started.body.metadata).toMatchObject({ labels: { [ZONE]: 'z', a: 'b' } });

  await api.delete(`${CORE}/pods/p?gracePeriodSeconds=0`);
  await api.post(`${CORE}/pods`, pod());
  const metadata = { name: 'p', labels: { mine: 'too' } };
  await api.post(`${CORE}/pods/p/binding`, { kind: 'Binding', metadata, target: { kind: 'Node', name: 'n' } });
  expect((await api.get(`${CORE}/pods/p`)).body.metadata).toMatchObject({ labels: { [ZONE]: 'z', mine: 'too' } });
});

test('a pod on a node that is not there is not resized; one without a node is', async () => {
  await using api = await openTestApi();
  await api.post(`${CORE}/pods`, pod());
  expect(await resize(api, resized('9'))).toMatchObject({ kind: 'Pod', metadata: { generation: 2 } });
  await api.delete(`${CORE}/pods/p?gracePeriodSeconds=0`);
  await api.post(`${CORE}/pods`, pod({ nodeName: 'gone' }));
  expect(await resize(api, resized('2'))).toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: node "gone" not found',
  });
});

test('a pod is not made larger than its node', async () => {
  await using api = await openWithNode();
  await api.post(`${CORE}/pods`, pod({ nodeName: 'n' }));
  expect(await resize(api, resized('2'))).toMatchObject({ kind: 'Pod' });
  expect(await resize(api, resized('2001m'))).toMatchObject({
    code: 403,
    message:
      'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 2001, allocatable: 2000',
    details: { causes: [{ reason: 'NodeCapacity' }] },
  });
});

test('pods are resized on linux alone', async () => {
  await using api = await openWithNode({ 'kubernetes.io/os': 'windows' });
  await api.post(`${CORE}/pods`, pod({ nodeName: 'n' }));
  expect(await resize(api, resized('2'))).toMatchObject({
    message: 'pods "p" is forbidden: pod resize is only supported on linux nodes, node "n" is "windows"',
    details: { causes: [{ reason: 'UnsupportedPlatform' }] },
  });
});

test('resources of the pod itself change on nodes that say they can do that', async () => {
  const feature = 'InPlacePodLevelResourcesVerticalScaling';
  for (const [declaredFeatures, kind] of [
    [[], 'Status'],
    [[feature], 'Pod'],
  ]) {
    await using api = await openWithNode({}, { declaredFeatures });
    await api.post(`${CORE}/pods`, pod({ nodeName: 'n', resources: requests('1') }));
    const answer = await resize(api, { spec: { resources: requests('1500m') } });
    expect(answer.kind).toBe(kind);
    if (kind === 'Status') expect(answer.message).toContain(`requires features ${feature} which are not available`);
  }
});
