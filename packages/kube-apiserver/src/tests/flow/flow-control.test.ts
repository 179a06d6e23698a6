import type { UserInfo } from '@pintle/apiserver';
import type { FlowSchema } from '@pintle/kinds/flowcontrol/v1';
import { expect, test, vi } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const API = '/apis/flowcontrol.apiserver.k8s.io/v1';
const SHARD = encodeURIComponent("shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')");
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

const account = (namespace: string, name: string): UserInfo => ({
  username: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
const node: UserInfo = { username: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] };
const jane: UserInfo = { username: 'jane', groups: ['system:authenticated'] };
const scheduler: UserInfo = { username: 'system:kube-scheduler', groups: ['system:authenticated'] };

async function flowOf(api: TestServer, user: UserInfo, method: string, path: string): Promise<string> {
  const { headers } = await api.send(method, path, { user });
  const uid = headers['x-kubernetes-pf-flowschema-uid'];
  const { items } = JSON.parse(await textOf(await api.send('GET', `${API}/flowschemas`)));
  return (items as FlowSchema[]).find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? `none: ${uid}`;
}

test('requests belong to the flows that Kubernetes puts them in, refused ones too', async () => {
  await using api = await openTestServer();
  const check = async (user: UserInfo, request: string, flow: string): Promise<void> => {
    const [method = '', path = ''] = request.split(' ');
    expect(await flowOf(api, user, method, path), request).toBe(flow);
  };
  await check({ username: 'root', groups: ['system:masters'] }, 'GET /api/v1/nodes', 'exempt');
  await check(jane, 'GET /healthz', 'probes');
  await check(jane, 'GET /api/v1/nodes', 'global-default');
  await check(scheduler, `GET ${LEASES}/x`, 'system-leader-election');
  await check(scheduler, `DELETE ${LEASES}/x`, 'kube-scheduler');
  await check(account('kube-system', 'x'), `GET ${LEASES}/x`, 'system-leader-election');
  await check(account('kube-system', 'x'), 'GET /api/v1/pods', 'kube-system-service-accounts');
  await check(account('shop', 'x'), `GET ${LEASES}/x`, 'service-accounts');
  await check(node, 'GET /api/v1/nodes/n', 'system-node-high');
  await check(node, 'GET /api/v1/pods', 'system-nodes');
  await check({ username: 'odd', groups: [] }, 'GET /api/v1/pods', 'catch-all');
});

test('a schema counts from the moment it is written, until it is gone', async () => {
  await using api = await openTestServer();
  const schema = {
    metadata: { name: 'mine' },
    spec: {
      priorityLevelConfiguration: { name: 'workload-high' },
      matchingPrecedence: 1234,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'jane' } }],
          resourceRules: [
            { verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['shop'], clusterScope: false },
          ],
        },
      ],
    },
  };
  expect((await api.send('POST', `${API}/flowschemas`, { body: schema })).status).toBe(201);
  expect(await flowOf(api, jane, 'GET', '/api/v1/namespaces/shop/pods')).toBe('mine');
  expect(await flowOf(api, jane, 'GET', '/api/v1/namespaces/shop/pods/x')).toBe('global-default');
  expect(await flowOf(api, jane, 'GET', '/api/v1/pods')).toBe('global-default');
  await api.send('DELETE', `${API}/flowschemas/mine`);
  expect(await flowOf(api, jane, 'GET', '/api/v1/namespaces/shop/pods')).toBe('global-default');
});

test('a schema whose level is missing says so and counts for nothing', async () => {
  await using api = await openTestServer();
  const rules = [
    {
      subjects: [{ kind: 'User', user: { name: '*' } }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/version'] }],
    },
  ];
  const body = { metadata: { name: 'mine' }, spec: { priorityLevelConfiguration: { name: 'later' }, rules } };
  await api.send('POST', `${API}/flowschemas`, { body });
  const dangling = async () => {
    const found = JSON.parse(await textOf(await api.send('GET', `${API}/flowschemas/mine`))) as FlowSchema;
    return found.status?.conditions?.find(({ type }) => type === 'Dangling')?.status;
  };
  await vi.waitFor(async () => expect(await dangling()).toBe('True'));
  expect(await flowOf(api, jane, 'GET', '/version')).toBe('global-default');
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } };
  await api.send('POST', `${API}/prioritylevelconfigurations`, { body: { metadata: { name: 'later' }, spec } });
  expect(await flowOf(api, jane, 'GET', '/version')).toBe('mine');
  await vi.waitFor(async () => expect(await dangling()).toBe('False'));
  const { metadata } = JSON.parse(await textOf(await api.send('GET', `${API}/flowschemas/mine`))) as FlowSchema;
  const told = metadata.managedFields?.filter(({ subresource }) => subresource === 'status');
  expect(told).toMatchObject([{ manager: 'api-priority-and-fairness-config-consumer-v1', operation: 'Apply' }]);
});

test('an update of the status changes no metadata', async () => {
  await using api = await openTestServer();
  const spec = { priorityLevelConfiguration: { name: 'workload-low' }, rules: [] };
  const metadata = { name: 'mine', labels: { a: 'b' } };
  await api.send('POST', `${API}/flowschemas`, { body: { metadata, spec } });
  const body = { metadata: { name: 'mine', generateName: 'a/b', labels: { a: 'c' } }, spec };
  const answer = await api.send('PUT', `${API}/flowschemas/mine/status`, { body });
  expect(answer.status).toBe(200);
  const shown = JSON.parse(await textOf(answer)) as FlowSchema;
  expect(shown.metadata.labels).toEqual({ a: 'b' });
  expect(shown.metadata).not.toHaveProperty('generateName');
});

test('what every server must have comes back, and an annotation keeps other changes', async () => {
  await using api = await openTestServer();
  await api.send('DELETE', `${API}/flowschemas/catch-all`);
  await api.send('DELETE', `${API}/prioritylevelconfigurations/exempt`);
  const root = { username: 'root', groups: ['system:masters'] };
  expect((await api.send('GET', '/version', { user: root })).status).toBe(200);
  const status = async (path: string) => (await api.send('GET', `${API}/${path}`)).status;
  await vi.waitFor(async () => {
    expect(await status('flowschemas/catch-all')).toBe(200);
    expect(await status('prioritylevelconfigurations/exempt')).toBe(200);
  });
});

test('metrics tell who waits, who was let through and who has which seats', async () => {
  await using api = await openTestServer();
  await api.send('GET', '/version', { user: jane });
  const text = await textOf(await api.send('GET', '/metrics'));
  const flow = 'priority_level="global-default",flow_schema="global-default"';
  expect(text).toContain(`apiserver_flowcontrol_dispatched_requests_total{${flow}} 1`);
  expect(text).toContain(`apiserver_flowcontrol_current_inqueue_requests{${flow}} 0`);
  expect(text).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245');
  expect(text).toContain('apiserver_flowcontrol_current_limit_seats{priority_level="leader-election"} 25');
});

test.each(['labelSelector=app', 'fieldSelector=metadata.name%21%3Dx', `shardSelector=${SHARD}`])(
  'a page that is selected by %s takes the seats of all objects that are read for it',
  async (selector) => {
    await using api = await openTestServer();
    const maps = '/api/v1/namespaces/default/configmaps';
    for (let i = 0; i < 250; i++) {
      const body = Buffer.from(JSON.stringify({ metadata: { name: `map-${i}` } }));
      await api.send('POST', maps, { body, headers: { 'content-type': 'application/json' } });
    }
    const seats = async (query: string): Promise<number> => {
      const before = await seatsTaken(api);
      await api.send('GET', `${maps}?limit=1${query}`, { user: jane });
      return (await seatsTaken(api)) - before;
    };
    expect(await seats('')).toBe(1);
    expect(await seats(`&${selector}`)).toBe(3);
  },
);

async function seatsTaken(api: TestServer): Promise<number> {
  const text = await textOf(await api.send('GET', '/metrics'));
  const sums = text.matchAll(/^apiserver_flowcontrol_work_estimated_seats_sum\{.*global-default.*\} (\d+)$/gm);
  return [...sums].reduce((sum, [, value]) => sum + Number(value), 0);
}
