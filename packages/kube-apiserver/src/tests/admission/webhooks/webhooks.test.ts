import type { AuditEvent } from '@pintle/apiserver';
import type { JsonObject } from '@pintle/machinery/json';
import { describe, expect, test } from 'vitest';
import type { Decide, Hooked } from '../../../testing/admission-hook.ts';
import { openHooked, patchOf } from '../../../testing/admission-hook.ts';
import { define } from '../../../testing/define.ts';
import { textOf } from '../../../testing/open-test-server.ts';
import { thing, thingDefinition, thingsAt } from '../../../testing/thing-definition.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const CONTROLLERS = '/api/v1/namespaces/default/replicationcontrollers';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const map = (name: string, data = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'x' }] },
});
const allow: Decide = () => ({});
const rulesFor = (apiGroup: string, ...resources: string[]) => ({
  rules: [{ apiGroups: [apiGroup], apiVersions: ['*'], operations: ['*'], resources }],
});

test('a validating webhook sees what would be stored and may refuse it in its own words', async () => {
  await using hooked = await openHooked(({ request }) => ({
    allowed: request.name === 'good',
    status: { code: 418, reason: 'Teapot', message: 'short and stout' },
    warnings: ['careful'],
  }));
  await hooked.register('Validating', 'strict');
  expect(await hooked.api.post(MAPS, map('good'))).toMatchObject({ status: 201, warnings: ['299 - "careful"'] });
  expect(await hooked.api.post(MAPS, map('bad'))).toMatchObject({
    status: 418,
    body: { reason: 'Teapot', message: 'admission webhook "strict.example.com" denied the request: short and stout' },
  });
  expect(await hooked.api.get(`${MAPS}/bad`)).toMatchObject({ status: 404 });
  const { request } = hooked.hook.calls[0] as { request: JsonObject };
  expect(request).toMatchObject({ operation: 'CREATE', object: { metadata: { uid: expect.any(String) } } });
});

test.each([99_999, 600, -1, 204, 101])('a webhook that refuses with the code %d is heard: 400', async (code) => {
  await using hooked = await openHooked(() => ({ allowed: false, status: { code, message: 'no' } }));
  await hooked.register('Validating', 'strict');
  const message = 'admission webhook "strict.example.com" denied the request: no';
  expect(await hooked.api.post(MAPS, map('a'))).toMatchObject({ status: 400, body: { code: 400, message } });
});

test('a mutating webhook changes what is stored, and nobody owns what it changed', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'add', path: '/data/added', value: 'yes' }));
  await hooked.register('Mutating', 'adds');
  await hooked.api.post(MAPS, map('a', { own: 'x' }));
  const { body } = await hooked.api.get(`${MAPS}/a`);
  expect(body.data).toEqual({ own: 'x', added: 'yes' });
  const [entry] = body.metadata.managedFields ?? [];
  expect(entry?.fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:own': {} } });
});

test('what a webhook sets of the server’s own fields counts, as what a client sends does not', async () => {
  const time = '2026-01-01T00:00:00Z';
  await using hooked = await openHooked(() =>
    patchOf(
      { op: 'add', path: '/metadata/deletionTimestamp', value: time },
      { op: 'add', path: '/metadata/managedFields', value: [] },
    ),
  );
  const sent = await hooked.api.post(MAPS, { ...map('a'), metadata: { name: 'a', deletionTimestamp: time } });
  expect(sent.body.metadata.deletionTimestamp).toBeUndefined();
  await hooked.register('Mutating', 'ends');
  const { body } = await hooked.api.post(MAPS, map('b'));
  expect(body.metadata).toMatchObject({ deletionTimestamp: time });
  expect(body.metadata.managedFields).toBeUndefined();
});

test('a webhook that sets a version is held to it', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'add', path: '/metadata/resourceVersion', value: '5' }));
  await hooked.api.post(MAPS, map('old'));
  await hooked.register('Mutating', 'versions');
  expect(await hooked.api.post(MAPS, map('new'))).toMatchObject({
    status: 500,
    body: { message: 'resourceVersion should not be set on objects to be created' },
  });
  expect(await hooked.api.merge(`${MAPS}/old`, { data: { a: 'b' } })).toMatchObject({
    status: 409,
    body: { reason: 'Conflict' },
  });
});

test('an object of another kind is refused in the words of whoever converts', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'replace', path: '/kind', value: 'Secret' }));
  await hooked.register('Mutating', 'kinds');
  const { status, body } = await hooked.api.post(MAPS, map('a'));
  expect([status, body.reason]).toEqual([500, undefined]);
  expect(body.message).toBe('converting (v1.Secret) to (core.ConfigMap): unknown conversion');
});

test('what a patch adds to a custom object is pruned and defaulted again', async () => {
  await using hooked = await openHooked(() =>
    patchOf({ op: 'add', path: '/spec', value: {} }, { op: 'add', path: '/unknown', value: 1 }),
  );
  const spec = { type: 'object', properties: { size: { type: 'integer', default: 3 } } };
  await define(hooked.api, thingDefinition([{ name: 'v1', schema: { type: 'object', properties: { spec } } }]));
  await hooked.register('Mutating', 'things', rulesFor('example.com', 'things'));
  const { status, body } = await hooked.api.post(thingsAt('v1'), thing('v1', 'a'));
  expect([status, body.spec, body.unknown]).toEqual([201, { size: 3 }, undefined]);
});

test('an object is shown in the version that the rules name, and comes back in its own', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'add', path: '/spec/minReplicas', value: 2 }));
  const rules = [{ apiGroups: ['autoscaling'], apiVersions: ['v2'], operations: ['*'], resources: ['*'] }];
  await hooked.register('Mutating', 'scalers', { rules });
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const { status, body } = await hooked.api.post('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers', {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { scaleTargetRef: target, maxReplicas: 9, targetCPUUtilizationPercentage: 50 },
  });
  expect(body).toMatchObject({
    apiVersion: 'autoscaling/v1',
    spec: { minReplicas: 2, targetCPUUtilizationPercentage: 50 },
  });
  expect(status).toBe(201);
  expect(hooked.hook.calls[0]).toMatchObject({
    request: {
      kind: { version: 'v2' },
      requestKind: { version: 'v1' },
      object: { apiVersion: 'autoscaling/v2', spec: { metrics: [{ type: 'Resource' }] } },
    },
  });
});

describe('a webhook that gives no answer that counts', () => {
  const answers: [string, Decide, string][] = [
    ['with an error', () => ({ statusCode: 500, text: 'secret' }), 'failed to call webhook: an error on the server'],
    [
      'with a redirect',
      () => ({ statusCode: 302, text: '' }),
      'failed to call webhook: the server responded with the status code 302',
    ],
    ['of somebody else', () => ({ uid: 'other' }), 'received invalid webhook response: expected response.uid='],
    [
      'with half a patch',
      () => ({ patchType: 'JSONPatch' }),
      'webhook returned response.patchType but not response.patch',
    ],
    [
      'of another type',
      () => ({ allowed: 'yes' }),
      'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    ['too long', () => ({ warnings: ['x'.repeat(17 * 1024 * 1024)] }), 'the response is longer than'],
  ];
  test.each(answers)('%s fails the request, unless failures are to be ignored', async (_what, decide, message) => {
    await using hooked = await openHooked(decide);
    await hooked.register('Mutating', 'broken');
    const { status, body } = await hooked.api.post(MAPS, map('a'));
    expect(body.message).toContain(`failed calling webhook "broken.example.com": `);
    expect([status, body.message]).toEqual([500, expect.stringContaining(message)]);
    expect(JSON.stringify(body)).not.toContain('secret');
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/broken';
    const { body: configuration } = await hooked.api.get(path);
    const [webhook] = (configuration as unknown as { webhooks: object[] }).webhooks;
    await hooked.api.merge(path, { webhooks: [{ ...webhook, failurePolicy: 'Ignore' }] });
    expect(await hooked.api.post(MAPS, map('a'))).toMatchObject({ status: 201 });
  });
});

test('webhooks that copy what others copied make no more of an object than a request may send', async () => {
  await using hooked = await openHooked(({ request }) =>
    patchOf({ op: 'copy', from: '/data', path: `/more${JSON.stringify(request.object).length}` }),
  );
  await define(hooked.api, thingDefinition([{ name: 'v1' }]));
  for (let i = 0; i < 10; i++) await hooked.register('Mutating', `copies-${i}`, rulesFor('example.com', 'things'));
  const data = { text: 'x'.repeat(500_000) };
  expect(await hooked.api.post(thingsAt('v1'), thing('v1', 'web', { data }))).toMatchObject({
    status: 413,
    body: { message: 'Request entity too large: limit is 3145728' },
  });
  // The one whose patch was too much was asked last.
  expect(hooked.asked().length).toBeLessThan(8);
});

test('a patch that does not apply fails the request, whatever the policy for failures', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'remove', path: '/data/missing' }));
  await hooked.register('Mutating', 'misses', { failurePolicy: 'Ignore' });
  expect(await hooked.api.post(MAPS, map('a', { b: 'c' }))).toMatchObject({
    status: 500,
    body: {
      message:
        "Internal error occurred: error in remove for path: '/data/missing': Unable to remove nonexistent key: missing: missing value",
    },
  });
});

test('those who want to are asked once more after others changed the object', async () => {
  await using hooked = await openHooked(({ request }) => {
    const { trail = '' } = request.object?.data ?? {};
    return patchOf({ op: 'add', path: '/data/trail', value: `${trail}x` });
  });
  await hooked.register('Mutating', 'a', { reinvocationPolicy: 'IfNeeded' });
  await hooked.register('Mutating', 'b');
  const { body } = await hooked.api.post(MAPS, map('one', { some: 'thing' }));
  expect(body.data).toMatchObject({ trail: 'xxx' });
});

test('a condition may ask what the user may do, even where the answer takes time', async () => {
  const allowed = { allowed: true, reason: '' } as const;
  const authorize = async (_user: unknown, info: { resource?: string }) =>
    info.resource === 'secrets' ? ({ allowed: false, reason: 'no' } as const) : allowed;
  await using hooked = await openHooked(allow, { authorizer: { authorize } as never });
  const check = (resource: string) =>
    `authorizer.group('').resource('${resource}').namespace(request.namespace).check('create').allowed()`;
  await hooked.register('Validating', 'yes', { matchConditions: [{ name: 'a', expression: check('pods') }] });
  await hooked.register('Validating', 'no', { matchConditions: [{ name: 'a', expression: check('secrets') }] });
  expect(await hooked.api.post(MAPS, map('a'))).toMatchObject({ status: 201 });
  expect(hooked.hook.calls).toHaveLength(1);
});

test('nobody is asked about those who are asked, so that a bad one can be taken away', async () => {
  await using hooked = await openHooked(() => ({ allowed: false }));
  const at = (resource: string) => `/apis/admissionregistration.k8s.io/v1/${resource}`;
  const rules = rulesFor('*', '*/*').rules;
  const spec = { failurePolicy: 'Fail', matchConstraints: { resourceRules: rules } };
  const writes = { resourceRules: [{ ...rules[0], operations: ['CREATE', 'UPDATE'] }] };
  const mutations = [
    { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/nothing"}]' } },
  ];
  const policies: [string, object][] = [
    ['validatingadmissionpolicies', { ...spec, validations: [{ expression: 'false' }] }],
    ['mutatingadmissionpolicies', { matchConstraints: writes, reinvocationPolicy: 'Never', mutations }],
    ['validatingadmissionpolicybindings', { policyName: 'bad', validationActions: ['Deny'] }],
    ['mutatingadmissionpolicybindings', { policyName: 'bad' }],
  ];
  await hooked.register('Mutating', 'bad', { rules });
  await hooked.register('Validating', 'bad', { rules });
  for (const [resource, policy] of policies) {
    const answer = await hooked.api.post(at(resource), { metadata: { name: 'bad' }, spec: policy });
    expect(answer, resource).toMatchObject({ status: 201 });
  }
  expect((await hooked.api.post(MAPS, map('a'))).status).toBeGreaterThanOrEqual(400);
  const all = [...policies.map(([name]) => name), 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];
  for (const resource of all) {
    expect(await hooked.api.delete(`${at(resource)}/bad`), resource).toMatchObject({ status: 200 });
  }
  expect(await hooked.api.post(MAPS, map('a'))).toMatchObject({ status: 201 });
});

describe('every way to a pod passes webhooks', () => {
  const ways: [string, (hooked: Hooked) => Promise<{ status: number }>, string[]][] = [
    ['exec', ({ api }) => api.post(`${PODS}/a/exec?command=ls&stdin=1`, {}), ['CONNECT pods/exec a']],
    ['a proxy', ({ api }) => api.get(`${PODS}/a/proxy/x/`), ['CONNECT pods/proxy a']],
    [
      'an eviction',
      ({ api }) =>
        api.post(`${PODS}/a/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }),
      ['CREATE pods/eviction a'],
    ],
    [
      'a binding',
      ({ api }) =>
        api.post(`${PODS}/a/binding`, {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'a' },
          target: { kind: 'Node', name: 'n' },
        }),
      ['CREATE pods/binding a'],
    ],
    ['attaching', ({ api }) => api.get(`${PODS}/a/attach`), ['CONNECT pods/attach a']],
    ['forwarding a port', ({ api }) => api.post(`${PODS}/a/portforward`, {}), ['CONNECT pods/portforward a']],
    [
      'an ephemeral container',
      ({ api }) =>
        api.merge(`${PODS}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: 'e', image: 'x' }] } }),
      ['UPDATE pods/ephemeralcontainers a'],
    ],
    [
      'a new size',
      ({ api }) => api.merge(`${PODS}/a/resize`, { spec: { containers: [{ name: 'main', image: 'x' }] } }),
      ['UPDATE pods/resize a'],
    ],
    ['a status', ({ api }) => api.merge(`${PODS}/a/status`, { status: { message: 'x' } }), ['UPDATE pods/status a']],
    ['a delete of all', ({ api }) => api.delete(PODS), ['DELETE pods ']],
  ];
  test.each(ways)('%s', async (_name, take, expected) => {
    let isOpen = true;
    await using hooked = await openHooked(() => ({ allowed: isOpen, status: { code: 451 } }));
    await hooked.api.post(PODS, pod('a'));
    await hooked.register('Validating', 'pods', rulesFor('', 'pods/*'));
    isOpen = false;
    expect(await take(hooked)).toMatchObject({ status: 451 });
    expect(hooked.asked()).toEqual(expected);
  });

  test('a connection is described by its options', async () => {
    await using hooked = await openHooked(allow);
    await hooked.register('Validating', 'pods', rulesFor('', 'pods/exec'));
    await hooked.api.post(`${PODS}/missing/exec?command=ls&command=-l&container=main&stdout=true&tty=true`, {});
    const object = {
      kind: 'PodExecOptions',
      apiVersion: 'v1',
      stdout: true,
      tty: true,
      container: 'main',
      command: ['ls', '-l'],
    };
    expect(hooked.hook.calls).toMatchObject([{ request: { kind: { kind: 'PodExecOptions' }, options: null } }]);
    expect(hooked.hook.calls.map(({ request }) => (request as JsonObject).object)).toEqual([object]);
  });
});

test('a certificate of its own is enough to be trusted', async () => {
  await using hooked = await openHooked(allow);
  const clientConfig = { url: hooked.hook.url, caBundle: hooked.hook.leaf };
  await hooked.register('Validating', 'leaf', { clientConfig });
  for (const name of ['a', 'b']) expect(await hooked.api.post(MAPS, map(name))).toMatchObject({ status: 201 });
  expect([hooked.hook.calls.length, hooked.hook.connections()]).toEqual([2, 1]);
});

test('a webhook that knows only the older review is asked in that', async () => {
  await using hooked = await openHooked(({ apiVersion }) => ({
    response: { allowed: true, patch: Buffer.from('[{"op":"add","path":"/data/v","value":"b"}]').toString('base64') },
    apiVersion,
    kind: 'AdmissionReview',
  }));
  await hooked.register('Mutating', 'older', { admissionReviewVersions: ['v1beta1'] });
  expect((await hooked.api.post(MAPS, map('a', { b: 'c' }))).body.data).toEqual({ b: 'c', v: 'b' });
  expect(hooked.hook.calls[0]).toMatchObject({ apiVersion: 'admission.k8s.io/v1beta1' });
});

test('the audit tells what webhooks did and said', async () => {
  const events: AuditEvent[] = [];
  const audit = { sink: { write: (event: AuditEvent) => void events.push(event), close: async () => {} } };
  await using hooked = await openHooked(() => ({ auditAnnotations: { seen: 'yes' } }), { audit: audit as never });
  await hooked.register('Mutating', 'noted');
  await hooked.api.post(MAPS, map('a'));
  expect(events.at(-1)?.annotations).toMatchObject({
    'noted.example.com/seen': 'yes',
    'mutation.webhook.admission.k8s.io/round_0_index_0':
      '{"configuration":"noted","webhook":"noted.example.com","mutated":false}',
  });
});

test('a patch that makes no difference sends nobody round again', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'replace', path: '/kind', value: 'Pod' }));
  const again = { ...rulesFor('', 'pods'), reinvocationPolicy: 'IfNeeded' };
  await hooked.register('Mutating', 'a', again);
  await hooked.register('Mutating', 'b', again);
  expect(await hooked.api.post(PODS, pod('a'))).toMatchObject({ status: 201 });
  expect(hooked.asked()).toEqual(['CREATE pods a', 'CREATE pods a']);
});

test('a namespace lies in itself, and is chosen by the labels it would have', async () => {
  await using hooked = await openHooked(allow);
  const namespaceSelector = { matchLabels: { colour: 'red' } };
  await hooked.register('Validating', 'red', { ...rulesFor('', 'namespaces/*'), namespaceSelector });
  const namespace = (name: string, colour: string) => ({ metadata: { name, labels: { colour } } });
  await hooked.api.post('/api/v1/namespaces', namespace('blue', 'blue'));
  await hooked.api.post('/api/v1/namespaces', namespace('red', 'red'));
  await hooked.api.merge('/api/v1/namespaces/blue', { metadata: { labels: { colour: 'red' } } });
  expect(hooked.asked()).toEqual(['CREATE namespaces red', 'UPDATE namespaces blue']);
  expect(hooked.hook.calls[0]).toMatchObject({ request: { namespace: 'red' } });
});

test('an update that finds nothing is a create to webhooks', async () => {
  await using hooked = await openHooked(allow);
  await hooked.register('Validating', 'leases', rulesFor('coordination.k8s.io', 'leases'));
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a';
  expect(await hooked.api.put(path, { metadata: { name: 'a' } })).toMatchObject({ status: 201 });
  expect(hooked.asked()).toEqual(['CREATE leases a']);
  expect(hooked.hook.calls[0]).toMatchObject({ request: { oldObject: null, options: { kind: 'CreateOptions' } } });
});

test('a webhook may write what it is asked about while it is asked', async () => {
  let isFirst = true;
  const hooked: Hooked = await openHooked(async ({ request }) => {
    if (request.operation !== 'UPDATE' || !isFirst) return {};
    isFirst = false;
    await hooked.api.merge(`${MAPS}/a`, { data: { inner: 'yes' } });
    return {};
  });
  await using _hooked = hooked;
  await hooked.api.post(MAPS, map('a'));
  await hooked.register('Validating', 'writes');
  expect(await hooked.api.merge(`${MAPS}/a`, { data: { outer: 'yes' } })).toMatchObject({ status: 200 });
  expect((await hooked.api.get(`${MAPS}/a`)).body.data).toEqual({ inner: 'yes', outer: 'yes' });
});

test('a name that a webhook changes in an update is refused like any other', async () => {
  await using hooked = await openHooked(() => patchOf({ op: 'replace', path: '/metadata/name', value: 'other' }));
  await hooked.api.post(MAPS, map('a'));
  await hooked.register('Mutating', 'renames');
  const { status, body } = await hooked.api.merge(`${MAPS}/a`, { data: { x: 'y' } });
  expect([status, body.message]).toEqual([422, expect.stringContaining('metadata.name: Invalid value: "other"')]);
});

test('calls are counted by how they ended', async () => {
  await using hooked = await openHooked(({ request }) => {
    if (request.name === 'broken') return { statusCode: 500, text: '' };
    return { allowed: request.name === 'good', status: { code: 418 } };
  });
  await hooked.register('Validating', 'counted', { failurePolicy: 'Ignore' });
  for (const name of ['good', 'bad', 'broken']) await hooked.api.post(MAPS, map(name));
  const metrics = await textOf(await hooked.api.server.send('GET', '/metrics'));
  const labels = 'name="counted.example.com",type="validating"';
  expect(metrics).toContain(`request_total{${labels},operation="CREATE",code="200",rejected="false"} 1`);
  expect(metrics).toContain(
    `rejection_count{${labels},operation="CREATE",error_type="no_error",rejection_code="418"} 1`,
  );
  expect(metrics).toContain(`request_total{${labels},operation="CREATE",code="500",rejected="false"} 1`);
  expect(metrics).toContain(`fail_open_count{${labels}} 1`);
});

describe('no verb leads past webhooks', () => {
  const patchWith = ({ api }: Hooked, type: string, body: object) =>
    api.server.send('PATCH', `${MAPS}/a`, { body, headers: { 'content-type': `application/${type}` } });
  const writes: [string, (hooked: Hooked) => Promise<{ status: number }>][] = [
    ['POST', ({ api }) => api.post(MAPS, map('b'))],
    ['PUT', ({ api }) => api.put(`${MAPS}/a`, map('a', { x: 'y' }))],
    ['merge patch', ({ api }) => api.merge(`${MAPS}/a`, { data: { x: 'y' } })],
    ['JSON patch', (hooked) => patchWith(hooked, 'json-patch+json', [{ op: 'add', path: '/data', value: { x: 'y' } }])],
    ['strategic merge patch', (hooked) => patchWith(hooked, 'strategic-merge-patch+json', { data: { x: 'y' } })],
    ['apply', ({ api }) => api.apply(`${MAPS}/a`, 'me', map('a', { x: 'y' }))],
    ['apply that creates', ({ api }) => api.apply(`${MAPS}/b`, 'me', map('b'))],
    ['dry run', ({ api }) => api.post(`${MAPS}?dryRun=All`, map('b'))],
    ['DELETE', ({ api }) => api.delete(`${MAPS}/a`)],
    ['DELETE of all', ({ api }) => api.delete(MAPS)],
  ];
  test.each(writes)('%s', async (_verb, write) => {
    await using hooked = await openHooked(() => ({ allowed: false, status: { code: 451 } }));
    await hooked.api.post(MAPS, map('a'));
    const before = await hooked.api.get(MAPS);
    await hooked.register('Validating', 'strict');
    expect(await write(hooked)).toMatchObject({ status: 451 });
    expect((await hooked.api.get(MAPS)).body.items).toEqual(before.body.items);
  });
});

describe('nor does what lies below an object, or is never stored', () => {
  const scale = { spec: { replicas: 2 } };
  const ways: [string, (hooked: Hooked) => Promise<{ status: number }>][] = [
    ['UPDATE replicationcontrollers/scale a', ({ api }) => api.merge(`${CONTROLLERS}/a/scale`, scale)],
    ['UPDATE replicationcontrollers/status a', ({ api }) => api.merge(`${CONTROLLERS}/a/status`, { status: {} })],
    ['UPDATE things/scale a', ({ api }) => api.merge(thingsAt('v1', '/a/scale'), scale)],
    ['UPDATE things/status a', ({ api }) => api.merge(thingsAt('v1', '/a/status'), { status: { n: 3 } })],
    ['UPDATE things a', ({ api }) => api.merge(thingsAt('v1', '/a'), { spec: { n: 5 } })],
    ['CREATE things b', ({ api }) => api.apply(thingsAt('v1', '/b'), 'me', thing('v1', 'b'))],
    ['DELETE things ', ({ api }) => api.delete(thingsAt('v1'))],
    ['CREATE serviceaccounts/token a', ({ api }) => api.post(`${ACCOUNTS}/a/token`, { spec: {} })],
    [
      'UPDATE namespaces/finalize a',
      ({ api }) => api.put('/api/v1/namespaces/a/finalize', { metadata: { name: 'a' } }),
    ],
    ['UPDATE namespaces/status a', ({ api }) => api.merge('/api/v1/namespaces/a/status', { status: {} })],
    [
      'CREATE subjectaccessreviews ',
      ({ api }) => api.post(REVIEWS, { spec: { user: 'jane', resourceAttributes: {} } }),
    ],
  ];
  test.each(ways)('%s', async (expected, take) => {
    let isOpen = true;
    await using hooked = await openHooked(() => ({ allowed: isOpen, status: { code: 451 } }));
    const subresources = { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
    await define(hooked.api, thingDefinition([{ name: 'v1', subresources }]));
    await hooked.api.post(thingsAt('v1'), thing('v1', 'a', { spec: { n: 1 } }));
    await hooked.api.post('/api/v1/namespaces', { metadata: { name: 'a' } });
    await hooked.api.post(ACCOUNTS, { metadata: { name: 'a' } });
    const template = { metadata: { labels: { a: 'b' } }, spec: pod('a').spec };
    await hooked.api.post(CONTROLLERS, { metadata: { name: 'a' }, spec: { replicas: 1, template } });
    await hooked.register('Validating', 'strict', rulesFor('*', '*/*'));
    isOpen = false;
    const before = hooked.api.server.store.revision;
    expect(await take(hooked)).toMatchObject({ status: 451 });
    expect(hooked.asked()).toEqual([expected]);
    expect(hooked.api.server.store.revision).toBe(before);
  });
});

test('owners of replicas are shown to those who may change them, not to those who only look', async () => {
  await using hooked = await openHooked(() => ({}));
  const template = { metadata: { labels: { a: 'b' } }, spec: pod('a').spec };
  await hooked.api.post(CONTROLLERS, { metadata: { name: 'a' }, spec: { replicas: 1, template } });
  await hooked.register('Mutating', 'changes', rulesFor('', 'replicationcontrollers/scale'));
  await hooked.register('Validating', 'looks', rulesFor('', 'replicationcontrollers/scale'));
  await hooked.api.merge(`${CONTROLLERS}/a/scale`, { spec: { replicas: 2 } });
  const [mutating, validating] = hooked.hook.calls as unknown as { request: { oldObject: object } }[];
  expect(mutating!.request.oldObject).toHaveProperty('metadata.managedFields');
  expect(validating!.request.oldObject).not.toHaveProperty('metadata.managedFields');
});

test('the old object is the stored one, whatever others made of the new one', async () => {
  await using hooked = await openHooked(({ request }) =>
    request.operation === 'UPDATE' && request.object?.data?.changed === undefined
      ? patchOf(
          { op: 'add', path: '/data', value: { changed: 'yes' } },
          { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
        )
      : {},
  );
  await hooked.api.post(MAPS, map('a', { first: 'yes' }));
  await hooked.register('Mutating', 'changes');
  await hooked.register('Validating', 'looks');
  await hooked.api.merge(`${MAPS}/a`, { data: { second: 'yes' } });
  const { request } = hooked.hook.calls.at(-1) as unknown as { request: { object: object; oldObject: object } };
  expect(request.object).toMatchObject({ data: { changed: 'yes' }, metadata: { labels: { a: 'b' } } });
  expect(request.oldObject).toMatchObject({ data: { first: 'yes' } });
  expect(request.oldObject).not.toHaveProperty('metadata.labels');
});
