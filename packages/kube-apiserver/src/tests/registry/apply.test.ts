import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { ManagedFieldsEntry } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { describe, expect, test } from 'vitest';
import { DEFINITIONS, define } from '../../testing/define.ts';
import type { Answer, TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const map = (name: string, data?: object, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...(data && { data }),
});
const deployment = (spec: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
});
const scale = (rest: object) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, ...rest });

/** `manager operation[/subresource] version: fields of the spec or the data` */
function ownersOf({ body }: Answer): string[] {
  return (body.metadata.managedFields ?? []).map(describeEntry).sort();
}

function describeEntry({ manager, operation, subresource, apiVersion, fieldsV1 }: ManagedFieldsEntry): string {
  const fields = (fieldsV1 ?? {}) as JsonObject;
  const inside = (fields['f:spec'] ?? fields['f:data'] ?? fields) as JsonObject;
  const names = Object.keys(inside).filter((name) => name !== '.');
  return `${manager} ${operation}${subresource ? `/${subresource}` : ''} ${apiVersion}: ${names.join(' ')}`;
}

describe('the scale of a workload', () => {
  async function openScaled(): Promise<TestApi> {
    const api = await openTestApi();
    await api.apply(`${DEPLOYMENTS}/web`, 'a', deployment({ replicas: 1 }));
    return api;
  }
  const owners = async (api: TestApi) =>
    ownersOf(await api.get(`${DEPLOYMENTS}/web`)).map((owner) => owner.replace('f:selector f:template', '…'));

  test('takes the replicas from who applied them', async () => {
    await using api = await openScaled();
    const answer = await api.merge(`${DEPLOYMENTS}/web/scale?fieldManager=hpa`, { spec: { replicas: 2 } });
    expect(answer.body.metadata.managedFields).toBeUndefined();
    expect(await owners(api)).toEqual(['a Apply apps/v1: …', 'hpa Update/scale apps/v1: f:replicas']);
    const conflict = await api.apply(`${DEPLOYMENTS}/web`, 'a', deployment({ replicas: 1 }));
    expect(conflict.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  test('can be applied, with conflicts and force, and given up', async () => {
    await using api = await openScaled();
    const path = `${DEPLOYMENTS}/web/scale`;
    expect(await api.apply(path, 'b', scale({ spec: { replicas: 3 } }))).toMatchObject({ status: 409 });
    expect(await api.apply(`${path}?force=true`, 'b', scale({ spec: { replicas: 3 } }))).toMatchObject({ status: 200 });
    expect(await owners(api)).toEqual(['a Apply apps/v1: …', 'b Apply/scale apps/v1: f:replicas']);
    await api.apply(path, 'b', scale({}));
    expect(await owners(api)).toEqual(['a Apply apps/v1: …']);
    expect((await api.get(path)).body.spec).toEqual({});
  });
});

describe('owners of another version', () => {
  const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h`;
  const scaler = (version: string, spec: object) => ({
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec,
  });
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const cpu = (value: number) => [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: value } } },
  ];

  test('are asked in the terms of their version', async () => {
    await using api = await openTestApi();
    const wanted = { scaleTargetRef: target, maxReplicas: 3, metrics: cpu(50) };
    await api.apply(autoscalers('v2'), 'a', scaler('v2', wanted));
    const conflict = await api.apply(autoscalers('v1'), 'b', scaler('v1', { targetCPUUtilizationPercentage: 60 }));
    expect(conflict.body.message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.metrics');
    const shared = await api.apply(autoscalers('v1'), 'b', scaler('v1', { targetCPUUtilizationPercentage: 50 }));
    expect(ownersOf(shared)).toEqual([
      'a Apply autoscaling/v2: f:maxReplicas f:metrics f:scaleTargetRef',
      'b Apply autoscaling/v1: f:targetCPUUtilizationPercentage',
    ]);
    const left = await api.apply(autoscalers('v2'), 'a', scaler('v2', { scaleTargetRef: target, maxReplicas: 3 }));
    expect(left.body.spec).toMatchObject({ metrics: cpu(50) });
  });

  test('are forgotten when there is no such version', async () => {
    await using api = await openTestApi();
    const entry = { operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } };
    const managedFields = ['v1', 'v9'].map((apiVersion) => ({ ...entry, manager: `of-${apiVersion}`, apiVersion }));
    await api.post(MAPS, map('one', { a: '1' }));
    const answer = await api.merge(`${MAPS}/one`, { metadata: { managedFields } });
    expect(ownersOf(answer)).toEqual(['of-v1 Apply v1: f:a']);
  });
});

describe('owners of a custom resource', () => {
  const fields = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
  const granular = { type: 'object', properties: { spec: { type: 'object', properties: { part: fields } } } };
  const atomic = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { part: { ...fields, 'x-kubernetes-map-type': 'atomic' } } } },
  };
  const version = (name: string, schema: object, more = {}) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: schema },
    ...more,
  });
  const lamp = (name: string, part: object) => ({
    apiVersion: `example.com/${name}`,
    kind: 'Lamp',
    metadata: { name: 'one' },
    spec: { part },
  });
  const path = (name: string) => `/apis/example.com/${name}/namespaces/default/lamps/one`;

  async function openLamps(...versions: object[]): Promise<TestApi> {
    const api = await openTestApi();
    await define(api, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'lamps.example.com' },
      spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'lamps', kind: 'Lamp' }, versions },
    } as Parameters<typeof define>[1]);
    return api;
  }

  test('are asked by the schema of their version', async () => {
    await using api = await openLamps(version('v1', granular), version('v2', atomic));
    await api.apply(path('v2'), 'a', lamp('v2', { a: '1' }));
    const conflict = await api.apply(path('v1'), 'b', lamp('v1', { b: '1' }));
    expect(conflict.body.message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.part');
    expect((await api.apply(path('v1'), 'b', lamp('v1', { a: '1' }))).status).toBe(200);
  });

  test('go with their version', async () => {
    await using api = await openLamps(version('v1', granular), version('v2', granular));
    await api.apply(path('v1'), 'a', lamp('v1', { a: '1' }));
    await api.apply(path('v2'), 'b', lamp('v2', { b: '1' }));
    await api.merge(`${DEFINITIONS}/lamps.example.com`, { spec: { versions: [version('v1', granular)] } });
    while ((await api.server.send('GET', path('v2'))).status !== 404) await new Promise(setImmediate);
    const answer = await api.apply(path('v1'), 'a', lamp('v1', { a: '2' }));
    expect(ownersOf(answer)).toEqual(['a Apply example.com/v1: f:part']);
    expect(answer.body.spec).toEqual({ part: { a: '2', b: '1' } });
  });

  test('may not apply null, nor leave null behind, where an object must be', async () => {
    await using api = await openLamps(version('v1', granular));
    await api.apply(path('v1'), 'a', lamp('v1', { a: '1' }));
    const refused = {
      status: 422,
      body: { details: { causes: [{ field: 'spec.part', reason: 'FieldValueTypeInvalid' }] } },
    };
    expect(await api.apply(path('v1'), 'b', lamp('v1', { a: null }))).toMatchObject({
      status: 409,
    });
    expect(await api.apply(path('v1'), 'a', lamp('v1', {}))).toMatchObject(refused);
  });

  test('may apply null to a field without a type, which goes', async () => {
    const anything = { 'x-kubernetes-preserve-unknown-fields': true };
    const part = { type: 'object', properties: { any: anything, free: { ...anything, nullable: true } } };
    const spec = { type: 'object', properties: { part } };
    await using api = await openLamps(version('v1', { type: 'object', properties: { spec } }));
    const created = await api.apply(path('v1'), 'a', lamp('v1', { any: null, free: null }));
    expect(created.body.spec).toEqual({ part: { free: null } });
    await api.apply(path('v1'), 'a', lamp('v1', { any: { deep: null } }));
    const changed = await api.apply(path('v1'), 'a', lamp('v1', { any: null }));
    expect(changed.body.spec).toEqual({ part: {} });
  });
});

describe('managedFields sent with an update', () => {
  test.each([[[]], [[{}]]])('%j forgets all owners', async (managedFields) => {
    await using api = await openTestApi();
    await api.apply(`${MAPS}/one`, 'a', map('one', { a: '1' }));
    expect(ownersOf(await api.put(`${MAPS}/one`, map('one', { a: '1' }, { managedFields })))).toEqual([]);
  });

  test('null forgets nobody', async () => {
    await using api = await openTestApi();
    await api.apply(`${MAPS}/one`, 'a', map('one', { a: '1' }));
    const answer = await api.put(`${MAPS}/one`, map('one', { a: '1' }, { managedFields: null }));
    expect(ownersOf(answer)).toEqual(['a Apply v1: f:a']);
  });
});

test('a name that stands twice is held against a configuration only when nothing else is', async () => {
  await using api = await openTestApi();
  const strict = `${MAPS}/one?fieldValidation=Strict`;
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n';
  const twice = await api.apply(strict, 'a', `${head}data: {a: "1", a: "2"}\n`);
  expect(twice.body.message).toMatch(/^error strict decoding YAML: /);
  const alsoUnknown = await api.apply(strict, 'a', `${head}data: {a: "1", a: "2"}\ncolour: red\n`);
  expect(alsoUnknown.body.message).toMatch(/field not declared in schema/);
});

test('admission may not leave owners behind that nobody can read', async () => {
  const breaking: AdmissionPlugin = {
    name: 'Breaking',
    handles: ({ context }) => context.info.resource === 'configmaps',
    mutate: ({ object }) => {
      object!.metadata.managedFields = [{ operation: 'Guess' } as unknown as ManagedFieldsEntry];
    },
  };
  await using api = await openTestApi({ admission: [breaking] });
  const answer = await api.post(`${MAPS}?fieldManager=u`, map('one', { a: '1' }));
  expect(ownersOf(answer)).toEqual(['u Update v1: f:a']);
  expect(answer.warnings).toEqual([expect.stringContaining('was in an invalid state after admission')]);
});

test('a write that changes nothing leaves version and times alone', async () => {
  await using api = await openTestApi();
  const first = await api.apply(`${DEPLOYMENTS}/web`, 'a', deployment({}));
  const { metadata } = first.body;
  const again = await api.apply(`${DEPLOYMENTS}/web`, 'a', deployment({}));
  const merged = await api.merge(`${DEPLOYMENTS}/web?fieldManager=u`, { spec: { paused: null } });
  const put = await api.put(`${DEPLOYMENTS}/web?fieldManager=u`, again.body);
  for (const { body } of [again, merged, put]) expect(body.metadata).toEqual(metadata);
});

test('of many who apply what is not there, one creates it and the others add to it', async () => {
  await using api = await openTestApi();
  const managers = ['a', 'b', 'c', 'd'];
  const answers = await Promise.all(
    managers.map((name) => api.apply(`${MAPS}/one`, name, map('one', { [name]: '1' }))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
  expect(ownersOf(await api.get(`${MAPS}/one`))).toEqual(managers.map((name) => `${name} Apply v1: f:${name}`));
});

test('what an eviction takes from a budget is owned by the server', async () => {
  await using api = await openTestApi();
  const core = '/api/v1/namespaces/default/pods';
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const labels = { app: 'web' };
  await api.post(core, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await api.merge(`${core}/p/status`, {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const spec = { maxUnavailable: 1, selector: { matchLabels: labels } };
  await api.post(`${budgets}?fieldManager=u`, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b' },
    spec,
  });
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 2,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
  };
  await api.merge(`${budgets}/b/status?fieldManager=controller`, { status });
  const evicted = await api.post(`${core}/p/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'p' },
  });
  expect(evicted.status).toBe(201);
  const { body } = await api.get(`${budgets}/b`);
  const entry = body.metadata.managedFields?.find(({ manager }) => manager === 'kube-apiserver');
  expect(entry).toMatchObject({
    operation: 'Update',
    subresource: 'status',
    fieldsV1: { 'f:status': { 'f:disruptionsAllowed': {} } },
  });
});

test('an object that is only too large with its owners is kept without them, unless it is applied', async () => {
  await using api = await openTestApi();
  const many = Array.from({ length: 12_000 }, (_, i) => [`${i}-${'k'.repeat(50)}`, 'v'.repeat(40)]);
  const large = map('large', Object.fromEntries(many));
  expect(await api.apply(`${MAPS}/large`, 'a', large)).toMatchObject({ status: 413 });
  const created = await api.post(MAPS, large);
  expect([created.status, created.body.metadata.managedFields]).toEqual([201, undefined]);
  const { managedFields } = (await api.merge(`${MAPS}/large`, { data: { more: '1' } })).body.metadata;
  expect(managedFields).toBeUndefined();
});

test('What cannot be read after merging is told by its value alone', async () => {
  await using api = await openTestApi();
  const check = async (path: string, object: object, problem: string) => {
    const { status, body } = await api.apply(path, 'a', object);
    expect([status, body.message]).toEqual([
      500,
      expect.stringMatching(new RegExp(`^failed to convert.*: ${problem}`)),
    ]);
  };
  const containers = [{ name: 'c', image: 'i', resources: { limits: { cpu: '1x' } } }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  await check(`${DEPLOYMENTS}/web`, deployment({ template }), 'quantities must match');
  const strategy = { rollingUpdate: { maxSurge: true } };
  await check(
    `${DEPLOYMENTS}/web`,
    deployment({ strategy }),
    'json: cannot unmarshal bool into Go value of type int32',
  );
});

test('an object that is made may name a version, which must be one', async () => {
  await using api = await openTestApi();
  const made = (resourceVersion: string, query = '') =>
    api.apply(`${MAPS}/new${query}`, 'a', map('new', {}, { resourceVersion }));
  expect((await made('7', '?dryRun=All')).body.metadata.resourceVersion).toBe('7');
  expect(await made('x')).toMatchObject({
    status: 500,
    body: { message: 'strconv.ParseUint: parsing "x": invalid syntax' },
  });
  const { status, body } = await made('7');
  expect([status, body.metadata.resourceVersion === '7']).toEqual([201, false]);
});

test('who writes is called as the user agent says, in any script', async () => {
  await using api = await openTestApi();
  const headers = { 'content-type': 'application/json', 'user-agent': Buffer.from('grün/1').toString('latin1') };
  const { body } = await api.post(MAPS, map('one', { a: '1' }), { headers });
  expect(body.metadata.managedFields).toMatchObject([{ manager: 'grün' }]);
});

test('an item without its key that is stored stands in the way of every apply', async () => {
  await using api = await openTestApi();
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const account = (more: object) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 's' }, ...more });
  await api.post(accounts, account({ secrets: [{ namespace: 'x' }] }));
  const { body } = await api.apply(`${accounts}/s`, 'a', account({ automountServiceAccountToken: true }));
  expect(body.message).toBe(
    'failed to create manager for existing fields: failed to convert new object (default/s; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  );
});

test('a resize that would add a container is looked at whole, metadata twice', async () => {
  await using api = await openTestApi();
  const pods = '/api/v1/namespaces/default/pods';
  await api.post('/api/v1/namespaces/default/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
  const pod = (containers: object[], labels = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels },
    spec: { automountServiceAccountToken: false, containers },
  });
  await api.post(pods, pod([{ name: 'c', image: 'i' }]));
  const { body } = await api.apply(`${pods}/p/resize`, 'a', pod([{ name: 'd', image: 'i' }], { a: 'b c' }));
  const { causes } = body.details as { causes: { field: string }[] };
  expect(causes.filter(({ field }) => field === 'metadata.labels')).toHaveLength(4);
});

test('a name that is no text is not told as one', async () => {
  await using api = await openTestApi();
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n';
  expect((await api.apply(`${MAPS}/y`, 'a', yaml)).body.message).toBe(
    'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:true}',
  );
});

describe('a strategy that another manager applied', () => {
  const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } };
  async function applied(first: object, forced: object): Promise<Answer> {
    await using api = await openTestApi();
    await api.apply(`${DEPLOYMENTS}/web`, 'one', deployment({ strategy: first }));
    const conflict = await api.apply(`${DEPLOYMENTS}/web`, 'two', deployment({ strategy: forced }));
    expect(conflict.status).toBe(409);
    return await api.apply(`${DEPLOYMENTS}/web?force=true`, 'two', deployment({ strategy: forced }));
  }

  test('keeps its parameters when force changes the type, which refuses them', async () => {
    expect(await applied(rolling, { type: 'Recreate' })).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining("may not be specified when strategy `type` is 'Recreate'"),
      },
    });
  });

  test('gets default parameters when force changes it to a rolling update', async () => {
    const { body } = await applied({ type: 'Recreate' }, { type: 'RollingUpdate' });
    const rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%' };
    expect(body.spec).toMatchObject({ strategy: { type: 'RollingUpdate', rollingUpdate } });
  });

  test('takes single parameters by force', async () => {
    const { body } = await applied(rolling, { rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } });
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 2 };
    expect(body.spec).toMatchObject({ strategy: { type: 'RollingUpdate', rollingUpdate } });
  });
});

test('owners are sorted: applies before updates, then by time, then by name', async () => {
  await using api = await openTestApi();
  await api.post(`${MAPS}?fieldManager=q`, map('sorted', { q: '1' }));
  for (const [i, manager] of ['z', 'a', 'B'].entries()) {
    await api.apply(`${MAPS}/sorted`, manager, map('sorted', { [`applied${i}`]: '1' }));
    await api.merge(`${MAPS}/sorted?fieldManager=${manager}`, { data: { [`updated${i}`]: '1' } });
  }
  const { managedFields = [] } = (await api.get(`${MAPS}/sorted`)).body.metadata;
  expect(managedFields.map(({ operation, manager }) => `${operation} ${manager}`)).toEqual([
    ...['B', 'a', 'z'].map((manager) => `Apply ${manager}`),
    ...['B', 'a', 'q', 'z'].map((manager) => `Update ${manager}`),
  ]);
});

test('unknown fields are warned of when the write conflicts, too', async () => {
  await using api = await openTestApi();
  await api.post(MAPS, map('one', { a: '1' }));
  const stale = { ...map('one', { a: '2' }, { resourceVersion: '1', extra: 'x' }), more: 1 };
  expect(await api.put(`${MAPS}/one?fieldValidation=Warn`, stale)).toMatchObject({
    status: 409,
    warnings: ['299 - "unknown field \\"metadata.extra\\""', '299 - "unknown field \\"more\\""'],
  });
});
