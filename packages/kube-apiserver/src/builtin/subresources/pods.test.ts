import { SteppedClock } from '@pintle/async';
import { openMemoryStore } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const CORE = '/api/v1/namespaces/default';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

async function openWithPod(spec: object = {}): Promise<TestApi> {
  const api = await openTestApi();
  const containers = [{ name: 'c', image: 'i' }];
  const metadata = { name: 'p', labels: { app: 'p' } };
  await api.post(`${CORE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } });
  return api;
}

function binding(node: string, metadata: object = { name: 'p' }) {
  return { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: node } };
}

describe('A binding', () => {
  test('puts a pod on a node and says so in its conditions', async () => {
    await using api = await openWithPod();
    const annotations = { 'example.com/by': 'me' };
    expect(await api.post(`${CORE}/pods/p/binding`, binding('n1', { name: 'p', annotations }))).toMatchObject({
      status: 201,
      body: { kind: 'Status', status: 'Success' },
    });
    expect((await api.get(`${CORE}/pods/p`)).body).toMatchObject({
      metadata: { annotations, generation: 1 },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }] },
    });
  });

  test('can be sent to the collection, which names the pod in the body', async () => {
    await using api = await openWithPod();
    expect((await api.post(`${CORE}/bindings`, binding('n2', { name: 'p', uid: 'u' }))).status).toBe(201);
    expect((await api.get(`${CORE}/pods/p`)).body).toMatchObject({ spec: { nodeName: 'n2' } });
    expect((await api.post(`${CORE}/bindings`, binding('n2', {}))).body.message).toBe('Name parameter required.');
  });

  test.each<[string, object, object, number, string]>([
    ['a bound pod', { nodeName: 'n0' }, binding('n1'), 409, 'pod p is already assigned to node "n0"'],
    ['a gated pod', { schedulingGates: [{ name: 'a.b/c' }] }, binding('n1'), 409, 'non-empty .spec.schedulingGates'],
    ['another name', {}, binding('n1', { name: 'q' }), 400, 'name in URL does not match name in Binding object'],
    ['another pod of that name', {}, binding('n1', { name: 'p', uid: 'u' }), 409, 'UID in precondition: u'],
    ['no node', {}, binding(''), 500, 'target.name: Required value'],
  ])('is refused for %s', async (_name, spec, body, status, message) => {
    await using api = await openWithPod(spec);
    const answer = await api.post(`${CORE}/pods/p/binding`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });
});

describe('An eviction', () => {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
  const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

  async function addBudget(api: TestApi, name: string, status?: object): Promise<void> {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'p' } } };
    await api.post(BUDGETS, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec });
    if (status !== undefined) await api.merge(`${BUDGETS}/${name}/status`, { status });
  }

  test('deletes a pod that no budget covers', async () => {
    await using api = await openWithPod();
    await api.merge(`${CORE}/pods/p/status`, ready);
    expect((await api.post(`${CORE}/pods/p/eviction`, eviction)).status).toBe(201);
    expect((await api.get(`${CORE}/pods/p`)).status).toBe(404);
  });

  test('of a pending pod begins again when the pod changes meanwhile', async () => {
    const store = await openMemoryStore({ clock: new SteppedClock() });
    const get = store.get.bind(store);
    let changes = 0;
    // The next reads of the pod are out of date when they arrive.
    store.get = async (key, options) => {
      const record = await get(key, options);
      if (changes > 0 && key.endsWith('pods/default/p')) {
        const labels = { change: String(changes--) };
        await api.merge(`${CORE}/pods/p`, { metadata: { labels } });
      }
      return record;
    };
    await using api = await openTestApi({ store });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await api.post(`${CORE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    changes = 3;
    expect(await api.post(`${CORE}/pods/p/eviction`, eviction)).toMatchObject({ status: 201 });
    expect(changes).toBe(0);
    expect((await api.get(`${CORE}/pods/p`)).status).toBe(404);
  });

  test('notes its reason in a pod that takes time to end', async () => {
    await using api = await openWithPod({ nodeName: 'n1' });
    await api.merge(`${CORE}/pods/p/status`, ready);
    await api.post(`${CORE}/pods/p/eviction`, eviction);
    const { body } = await api.get(`${CORE}/pods/p`);
    expect(body.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(body.status).toMatchObject({
      conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }],
    });
  });

  test('waits while a budget has nothing left', async () => {
    await using api = await openWithPod();
    await api.merge(`${CORE}/pods/p/status`, ready);
    const status = {
      observedGeneration: 1,
      desiredHealthy: 1,
      currentHealthy: 1,
      disruptionsAllowed: 0,
      expectedPods: 1,
    };
    await addBudget(api, 'b', status);
    expect(await api.post(`${CORE}/pods/p/eviction`, eviction)).toMatchObject({
      status: 429,
      body: {
        reason: 'TooManyRequests',
        details: {
          causes: [
            { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
          ],
        },
      },
    });
    expect((await api.get(`${CORE}/pods/p`)).status).toBe(200);
  });

  test('asks to come again while nobody has looked at the budget', async () => {
    await using api = await openWithPod();
    await api.merge(`${CORE}/pods/p/status`, ready);
    await addBudget(api, 'b');
    expect(await api.post(`${CORE}/pods/p/eviction`, eviction)).toMatchObject({
      status: 429,
      body: { details: { retryAfterSeconds: 10 } },
    });
  });

  test('takes one disruption from the budget and notes the pod there', async () => {
    await using api = await openWithPod();
    await api.merge(`${CORE}/pods/p/status`, ready);
    const status = {
      observedGeneration: 1,
      desiredHealthy: 1,
      currentHealthy: 2,
      disruptionsAllowed: 1,
      expectedPods: 2,
    };
    await addBudget(api, 'b', status);
    const odd = { ...eviction, deleteOptions: { dryRun: ['Odd'] } };
    expect(await api.post(`${CORE}/pods/p/eviction?dryRun=All`, odd)).toMatchObject({
      status: 500,
      body: { message: 'Non-matching dry-run options in request and content: [All] and [Odd]' },
    });
    const dry = { ...eviction, deleteOptions: { dryRun: ['All'] } };
    expect((await api.post(`${CORE}/pods/p/eviction`, dry)).status).toBe(201);
    expect((await api.get(`${CORE}/pods/p`)).status).toBe(200);
    expect((await api.post(`${CORE}/pods/p/eviction`, eviction)).status).toBe(201);
    expect((await api.get(`${BUDGETS}/b`)).body.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: '2026-01-02T03:04:05Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });

  test('asks the pod and its budget first, and only then whether its options can be', async () => {
    await using api = await openWithPod();
    await api.merge(`${CORE}/pods/p/status`, ready);
    await addBudget(api, 'b');
    const evict = async (name: string, deleteOptions: object) =>
      await api.post(`${CORE}/pods/${name}/eviction`, { ...eviction, metadata: { name }, deleteOptions });
    const wrong = { propagationPolicy: 'Sideways' };
    expect((await evict('none', wrong)).status).toBe(404);
    expect((await evict('p', wrong)).status).toBe(429);
    expect((await evict('p', { ignoreStoreReadErrorWithClusterBreakingPotential: true })).status).toBe(422);
    await api.server.send('DELETE', `${BUDGETS}/b`);
    expect(await evict('p', wrong)).toMatchObject({ status: 422, body: { details: { kind: 'DeleteOptions' } } });
    const { body } = await api.get(`${CORE}/pods/p`);
    expect(body.status).toMatchObject({ conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget' }] });
  });

  test('of a pod that does not run asks no budget', async () => {
    await using api = await openWithPod();
    await addBudget(api, 'b');
    expect((await api.post(`${CORE}/pods/p/eviction`, eviction)).status).toBe(201);
  });

  test('is refused where several budgets have a say, in the former version too', async () => {
    await using api = await openWithPod();
    await api.merge(`${CORE}/pods/p/status`, ready);
    await addBudget(api, 'a');
    await addBudget(api, 'b');
    for (const apiVersion of ['policy/v1', 'policy/v1beta1']) {
      const { status } = await api.post(`${CORE}/pods/p/eviction`, { ...eviction, apiVersion });
      expect(status).toBe(500);
    }
  });
});

describe('Without nodes to talk to', () => {
  test('the log of a pod that nobody runs is empty', async () => {
    await using api = await openWithPod();
    expect((await api.get(`${CORE}/pods/p/log`)).status).toBe(204);
    expect((await api.get(`${CORE}/pods/p/log?sinceTime=x`)).status).toBe(400);
  });

  test.each<[string, number, string]>([
    ['log?container=zz', 400, 'container zz is not valid for pod p'],
    ['log?tailLines=-1', 422, 'must be greater than or equal to 0'],
    ['exec?command=ls', 400, 'pod p does not have a host assigned'],
    ['attach', 400, 'pod p does not have a host assigned'],
    ['portforward', 400, 'pod p does not have a host assigned'],
    ['proxy/index.html', 400, 'address not allowed'],
  ])('%s of an unscheduled pod answers %i', async (what, status, message) => {
    await using api = await openWithPod();
    const answer = await api.get(`${CORE}/pods/p/${what}`);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
  });

  test('a service without endpoints is unavailable', async () => {
    await using api = await openWithPod();
    const path = `${CORE}/services`;
    await api.post(path, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }] },
    });
    await api.post(`${CORE}/endpoints`, { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 's' } });
    const { status, body } = await api.get(`${path}/http:s:80/proxy/`);
    expect([status, body.message]).toEqual([503, 'no endpoints available for service "s"']);
  });
});

test('what needs the kubelet of a node that is missing speaks of it as of a pod; the node’s own proxy does not', async () => {
  await using api = await openWithPod({ nodeName: 'gone' });
  for (const path of ['/p/log', '/p/exec?command=x&stdout=1', '/p/attach?stdout=1', '/p/portforward'])
    expect(await api.get(`${CORE}/pods${path}`)).toMatchObject({
      status: 404,
      body: { message: 'pods "gone" not found', details: { kind: 'pods', name: 'gone' } },
    });
  expect((await api.get('/api/v1/nodes/gone/proxy/metrics')).body.message).toBe('nodes "gone" not found');
});

test('a log can be asked for in every form of a Status, and as text only beside one of them', async () => {
  await using api = await openWithPod();
  const ask = (accept: string) => api.get(`${CORE}/pods/none/log`, { headers: { accept } });
  expect((await ask('text/plain, application/json')).status).toBe(404);
  expect((await ask('text/plain')).body.message).toMatch(/^only the following media types are accepted/);
  expect((await ask('text/html')).body.message).toMatch(/representations: text\/plain, application\/json, /);
});
