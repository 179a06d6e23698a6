import { describe, expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly metadata: { readonly resourceVersion: string } } & Readonly<
    Record<string, unknown>
  >;
  readonly warnings: readonly string[];
}

/** A server that holds the config map `one`, with `data: { a: '1' }`, and the deployment `web`. */
async function openPatched() {
  const server = await openTestServer();
  const send = async (method: string, path: string, type: string, body: unknown): Promise<Answer> => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await server.send(method, path, { body: sent, headers: { 'content-type': type } });
    const { warning = [] } = response.headers;
    const warnings = typeof warning === 'string' ? [warning] : warning;
    return { status: response.status, body: JSON.parse(await textOf(response)), warnings };
  };
  const create = (path: string, object: object) => send('POST', path, 'application/json', object);
  await create(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: '1' } });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
  const patch = (type: keyof typeof TYPES, body: unknown, path = `${MAPS}/one`): Promise<Answer> =>
    send('PATCH', path, TYPES[type], body);
  return { send, create, patch, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('PATCH', () => {
  test('that changes nothing leaves the version alone', async () => {
    await using api = await openPatched();
    const { body: before } = await api.patch('merge', {});
    for (const [type, body] of [
      ['json', []],
      ['json', 'null'],
      ['json', [{ op: 'test', path: '/data/a', value: '1' }]],
      ['merge', { data: { a: '1', gone: null } }],
      ['strategic', { data: { a: '1' } }],
      ['strategic', 'null'],
    ] as const) {
      const { status, body: after } = await api.patch(type, body);
      expect([status, after.metadata.resourceVersion]).toEqual([200, before.metadata.resourceVersion]);
    }
  });

  test.each<['json' | 'merge' | 'strategic', string, number]>([
    ['merge', '{"spec":{"replicas":1e2}}', 422],
    ['merge', '{"spec":{"replicas":1.0}}', 422],
    ['json', '[{"op":"replace","path":"/spec/replicas","value":1e2}]', 422],
    ['json', '[{"op":"add","path":"/spec","value":{"replicas":1.0}}]', 422],
    [
      'json',
      '[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"d","image":"i","ports":[{"containerPort":8e1}]}}]',
      422,
    ],
    ['json', '[{"op":"test","path":"/spec/replicas","value":1.0}]', 422],
    ['json', '[{"op":"test","path":"/spec/replicas","value":1}]', 200],
    [
      'json',
      '[{"op":"add","path":"/spec/replicas","value":1e2},{"op":"replace","path":"/spec/replicas","value":2}]',
      200,
    ],
    // A strategic merge is made of numbers, not of their texts.
    ['strategic', '{"spec":{"replicas":1e2}}', 200],
    ['merge', '{"spec":{"replicas":100}}', 200],
  ])('by %s of %s to an integer: %i', async (type, body, status) => {
    await using api = await openPatched();
    expect((await api.patch(type, body, `${DEPLOYMENTS}/web`)).status).toBe(status);
  });

  test('finds out that there is no object before it reads the patch', async () => {
    await using api = await openPatched();
    for (const type of ['json', 'merge', 'strategic'] as const) {
      expect((await api.patch(type, '{', `${MAPS}/none`)).status).toBe(404);
    }
  });

  test.each([
    ['json', '[{"op":"add"', '', 400, 'error decoding patch: unexpected end of JSON input'],
    ['json', '[{"op":"add"', '?fieldValidation=Ignore', 400, 'unexpected end of JSON input'],
    [
      'json',
      [{ op: 1 }],
      '',
      400,
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    [
      'json',
      [{ op: 1 }],
      '?fieldValidation=Ignore',
      422,
      'the server rejected our request due to an error in our request',
    ],
    ['merge', 'null', '', 400, 'Invalid JSON Patch'],
    ['merge', '"x"', '?fieldValidation=Ignore', 400, 'Invalid JSON Patch'],
    [
      'merge',
      '[]',
      '',
      400,
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['strategic', '{', '', 400, 'unexpected end of JSON input'],
    ['strategic', '[]', '', 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ] as const)('refuses %s patch %j%s with %i', async (type, body, query, code, message) => {
    await using api = await openPatched();
    expect(await api.patch(type, body, `${MAPS}/one${query}`)).toMatchObject({ status: code, body: { message } });
  });

  test('tells a wrong type in the words of the way the patch went', async () => {
    await using api = await openPatched();
    const { body: merged } = await api.patch('merge', { data: { a: 1 } });
    expect(merged.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"a\\":1\},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":\{\\"name\\":\\"one\\",\\"namespace\\":\\"default\\",\\"uid\\":/,
    );
    expect(merged.message).toMatch(
      /: json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
    );
    expect((await api.patch('strategic', { data: { a: 1 } })).body.message).toBe(
      ' "" is invalid: patch: Invalid value: "map[data:map[a:1]]": cannot convert int64 to string',
    );
    const deployed = await api.patch('strategic', { spec: { replicas: 'x' } }, `${DEPLOYMENTS}/web`);
    expect(deployed.body.message).toBe(
      ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32',
    );
  });

  test.each(['1e2', '1.0', '1e-1', '-0.0'])('quotes the number %s as the patch writes it', async (number) => {
    await using api = await openPatched();
    const wrong = `number ${number} into Go struct field DeploymentSpec.spec.replicas of type int32`;
    const web = `${DEPLOYMENTS}/web`;
    for (const { body } of [
      await api.patch('merge', `{"spec":{"replicas":${number}}}`, web),
      await api.patch('json', `[{"op":"add","path":"/spec/replicas","value":${number}}]`, web),
      await api.patch('json', `[{"op":"replace","path":"/spec","value":{"replicas":${number}}}]`, web),
    ]) {
      expect(body.message).toContain(String.raw`\"replicas\":${number}`);
      expect(body.message).toContain(wrong);
    }
    const spec = `{"spec":{"replicas":${number}}}`;
    const sent = await api.send('PUT', web, 'application/json', spec.replace('{', '{"metadata":{"name":"web"},'));
    expect(sent).toMatchObject({ status: 400, body: { message: expect.stringContaining(wrong) } });
  });

  test('warns of unknown fields in the order of their type where the patch left it alone', async () => {
    await using api = await openPatched();
    const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };
    const metadata = { name: 'a' };
    const kind = 'HorizontalPodAutoscaler';
    await api.create(scalers, {
      apiVersion: 'autoscaling/v2',
      kind,
      metadata,
      spec: { scaleTargetRef, maxReplicas: 3 },
    });
    const conditions = [{ type: 'AbleToScale', status: 'True' }];
    await api.patch('merge', { status: { conditions, desiredReplicas: 1 } }, `${scalers}/a/status`);
    const left = await api.patch('merge', { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 4 } }, `${scalers}/a`);
    const named = (...names: string[]) => names.map((name) => `299 - "unknown field \\"${name}\\""`);
    expect(left.warnings).toEqual(named('spec.metrics', 'status.currentMetrics', 'status.conditions'));
    const entered = { apiVersion: 'autoscaling/v1', status: { desiredReplicas: 1 } };
    expect((await api.patch('merge', entered, `${scalers}/a`)).warnings).toEqual(
      named('spec.metrics', 'status.conditions', 'status.currentMetrics'),
    );
  });

  test('shows what a patch left alone in the order of its type, and what it went through sorted', async () => {
    await using api = await openPatched();
    const operations = [{ op: 'add', path: '/spec/template/spec/dnsPolicy', value: 1 }];
    const { body } = await api.patch('json', operations, `${DEPLOYMENTS}/web`);
    const shown = JSON.parse(/Invalid value: ("(?:[^"\\]|\\.)*")/.exec(body.message ?? '')?.[1] ?? '');
    const { spec, metadata } = JSON.parse(shown);
    expect(Object.keys(spec.template.spec).slice(0, 3)).toEqual(['containers', 'dnsPolicy', 'restartPolicy']);
    expect(Object.keys(spec.template.spec.containers[0]).slice(0, 2)).toEqual(['name', 'image']);
    expect(Object.keys(metadata).slice(0, 3)).toEqual(['name', 'namespace', 'uid']);
  });

  test('shows what lies in the lists of a merge patch sorted', async () => {
    await using api = await openPatched();
    const containers = [{ name: 'a', image: 'b', args: 1 }];
    const { body } = await api.patch('merge', { spec: { template: { spec: { containers } } } }, `${DEPLOYMENTS}/web`);
    expect(body.message).toContain('[{\\"args\\":1,\\"image\\":\\"b\\",\\"name\\":\\"a\\"}]');
  });

  test('tells the first wrong type by name', async () => {
    await using api = await openPatched();
    const { body } = await api.patch('merge', { metadata: { labels: { z: 1, b: [] } } });
    expect(body.message).toContain(
      'cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type string',
    );
  });

  test('warns of names that stand twice or mean nothing, and refuses them when it must be strict', async () => {
    await using api = await openPatched();
    const twice = '[{"op":"add","path":"/data/b","value":"1","value":"2","note":""}]';
    expect(await api.patch('json', twice)).toMatchObject({
      body: { data: { a: '1', b: '2' } },
      warnings: [
        String.raw`299 - "json patch unknown field \"[0].note\""`,
        String.raw`299 - "json patch duplicate field \"[0].value\""`,
      ],
    });
    const strict = await api.patch(
      'strategic',
      '{"data":{"b":"3","b":"4"},"colour":1}',
      `${MAPS}/one?fieldValidation=Strict`,
    );
    expect(strict.body.message).toBe(
      ' "" is invalid: patch: Invalid value: "map[colour:1 data:map[b:4]]": strict decoding error: duplicate field "data.b", unknown field "colour"',
    );
  });

  test('may drop the namespace, but neither the name nor the version of the kind', async () => {
    await using api = await openPatched();
    expect((await api.patch('merge', { metadata: { namespace: null } })).status).toBe(200);
    expect((await api.patch('merge', { kind: null })).status).toBe(200);
    const nameless = 'the name of the object (one based on URL) was undeterminable: name must be provided';
    expect((await api.patch('merge', { metadata: null })).body.message).toBe(nameless);
    expect(await api.patch('merge', { apiVersion: null })).toMatchObject({
      body: { code: 400, message: nameless },
      warnings: [String.raw`299 - "unknown field \"data\""`, String.raw`299 - "unknown field \"metadata\""`],
    });
    expect((await api.patch('strategic', { kind: 'Secret', apiVersion: 'v9' })).status).toBe(200);
  });

  test('takes its media type letter by letter', async () => {
    await using api = await openPatched();
    const send = async (type: string) => (await api.send('PATCH', `${MAPS}/one`, type, {})).body.message;
    expect(await send('application/merge-patch+json;charset=utf-8')).toBeUndefined();
    expect(await send('application/Merge-Patch+json')).toBe('415: Unsupported Media Type');
    expect(await send('application/merge-patch+json ;charset=utf-8')).toMatch(
      /^the body of the request was in an unknown/,
    );
  });

  test('may not drop the version of an object that must be updated by version', async () => {
    await using api = await openPatched();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    await api.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } });
    const answer = await api.patch('merge', { metadata: { resourceVersion: null } }, `${leases}/l`);
    expect(answer.body.message).toBe(
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  test('leaves each owner once, and warns', async () => {
    await using api = await openPatched();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' };
    const other = { ...owner, name: 'y' };
    const answer = await api.patch('merge', { metadata: { ownerReferences: [owner, other, owner] } });
    expect(answer.body.metadata).toMatchObject({ ownerReferences: [owner, other] });
    expect(answer.warnings).toEqual([
      '299 - ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"',
    ]);
  });

  test('through scale minds the uid', async () => {
    await using api = await openPatched();
    const answer = await api.patch('merge', { metadata: { uid: 'other' } }, `${DEPLOYMENTS}/web/scale`);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toMatch(
      /^Operation cannot be fulfilled on deployments\/scale.apps "web": Precondition failed: UID in precondition: other, /,
    );
  });

  test('begins again when the object moved meanwhile', async () => {
    await using api = await openPatched();
    const names = Array.from({ length: 32 }, (_, i) => `k${i}`);
    const answers = await Promise.all(names.map((name) => api.patch('merge', { data: { [name]: name } })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await api.patch('merge', {});
    expect(Object.keys(body.data as object)).toEqual(expect.arrayContaining(names));
  });
});
