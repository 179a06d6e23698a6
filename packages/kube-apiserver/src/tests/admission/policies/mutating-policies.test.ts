import { expect, test } from 'vitest';
import { bindPolicy, policyRule } from '../../../testing/admission-policy.ts';
import { define } from '../../../testing/define.ts';
import { openTestApi } from '../../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../../testing/thing-definition.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const map = (name: string, data = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'x', args: ['a'] }] },
    },
  },
});
const applying = (...expressions: string[]) => ({
  mutations: expressions.map((expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })),
});
const patching = (expression: string) => ({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }] });

/** The pod spec of a configuration for a deployment. */
const inPod = (fields: string) =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{${fields}}}}}`;

test('a configuration is merged by the schema: items of a list by their keys, defaults filled in', async () => {
  await using api = await openTestApi();
  const sidecar = "Object.spec.template.spec.containers{name: 'sidecar', image: 'y'}";
  await bindPolicy(api, 'Mutating', 'm', {
    ...policyRule('apps', 'deployments'),
    ...applying(inPod(`containers: [${sidecar}]`), 'Object{spec: Object.spec{replicas: object.spec.replicas + 2}}'),
  });
  const { status, body } = await api.post(DEPLOYMENTS, deployment('a'));
  expect([status, body.message]).toEqual([201, undefined]);
  expect(body.spec).toMatchObject({
    replicas: 3,
    template: { spec: { containers: [{ name: 'main' }, { name: 'sidecar', imagePullPolicy: 'Always' }] } },
  });
});

test('a patch that makes an object one of another kind is refused', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Mutating', 'm', {
    ...policyRule('', 'configmaps'),
    ...patching("[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]"),
  });
  const why = 'failed to convert object: converting (v1.Secret) to (core.ConfigMap): unknown conversion';
  expect(await api.post(MAPS, map('a'))).toMatchObject({
    status: 500,
    body: { reason: 'InternalError', message: `Internal error occurred: ${why}` },
  });
});

test('a list that has one owner may not be touched by a configuration', async () => {
  await using api = await openTestApi();
  const container = "Object.spec.template.spec.containers{name: 'main', args: ['b']}";
  await bindPolicy(api, 'Mutating', 'm', {
    ...policyRule('apps', 'deployments'),
    ...applying(inPod(`containers: [${container}]`)),
  });
  expect(await api.post(DEPLOYMENTS, deployment('a'))).toMatchObject({
    status: 403,
    body: {
      reason: 'Invalid',
      message:
        "policy 'm' with binding 'm' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args",
    },
  });
});

test('what does not fit the schema is an error of the policy', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Mutating', 'm', applying('Object{nonsense: Object.nonsense{}}'));
  expect((await api.post(MAPS, map('a'))).body.message).toMatch(
    /^policy 'm' with binding 'm' denied request: error applying patch: failed to convert patch object to typed object: .*nonsense: field not declared in schema/s,
  );
});

test('null takes nothing away: it is a value that does not fit', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Mutating', 'm', { ...policyRule('', 'configmaps'), ...applying("Object{data: {'a': null}}") });
  const { status, body } = await api.post(MAPS, map('a', { a: 'b' }));
  expect([status, body.message]).toEqual([403, expect.stringContaining('.data.a: expected string, got ')]);
});

test('a quantity that cannot be read is an error of the policy', async () => {
  await using api = await openTestApi();
  const container = 'Object.spec.template.spec.containers';
  const resources = `${container}.resources{limits: {'cpu': 'much'}}`;
  const expression = inPod(`containers: [${container}{name: 'main', resources: ${resources}}]`);
  await bindPolicy(api, 'Mutating', 'm', { ...policyRule('apps', 'deployments'), ...applying(expression) });
  const { status, body } = await api.post(DEPLOYMENTS, deployment('a'));
  expect([status, body.message]).toEqual([403, expect.stringContaining('unable to convert unstructured object')]);
});

test('objects of the wrong type for their place are told', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Mutating', 'm', applying('Object{metadata: Object.spec{}}'));
  expect((await api.post(MAPS, map('a'))).body.message).toContain('type mismatch: unexpected type name "Object.spec"');
});

test('a patch that names an unknown field fails, whatever the failure policy', async () => {
  await using api = await openTestApi();
  const spec = patching("[JSONPatch{op: 'add', path: '/nonsense', value: 'x'}]");
  await bindPolicy(api, 'Mutating', 'm', { ...spec, failurePolicy: 'Ignore' });
  expect(await api.post(MAPS, map('a'))).toMatchObject({
    status: 500,
    body: { message: 'Internal error occurred: strict decoding error: unknown field "nonsense"' },
  });
});

test('errors are ignored where the policy says so, and what succeeded stays', async () => {
  await using api = await openTestApi();
  const spec = applying("Object{data: {'first': 'x'}}", "Object{data: {'second': object.data.absent}}");
  await bindPolicy(api, 'Mutating', 'm', { ...spec, failurePolicy: 'Ignore' });
  expect((await api.post(MAPS, map('a'))).body.data).toEqual({ first: 'x' });
});

test('a custom object is mutated in the version that the rules name', async () => {
  await using api = await openTestApi();
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, tag: { type: 'string' } } } },
  };
  await define(
    api,
    thingDefinition([
      { name: 'v1', schema },
      { name: 'v2', schema },
    ]),
  );
  const rule = { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] };
  await bindPolicy(api, 'Mutating', 'm', {
    matchConstraints: { resourceRules: [rule] },
    ...applying('Object{spec: Object.spec{size: 3, tag: object.apiVersion}}'),
  });
  const { body } = await api.post(thingsAt('v2'), thing('v2', 'a'));
  expect(body).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 3, tag: 'example.com/v1' } });
});

test('a policy of both passes sees its own work once more, and no third time', async () => {
  await using api = await openTestApi();
  const expression = "Object{data: {'n': string(int(object.data.n) + 1)}}";
  await bindPolicy(api, 'Mutating', 'm', { ...applying(expression), reinvocationPolicy: 'IfNeeded' });
  expect((await api.post(MAPS, map('a', { n: '0' }))).body.data).toEqual({ n: '2' });
});

test('an operation that names no path is one on the whole object', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Mutating', 'm', patching('[JSONPatch{op: "add", value: "x"}]'));
  expect((await api.post(MAPS, map('a'))).body.message).toContain('doc is missing path: "": missing value');
});

test('a name that a policy would change on update is the one that the refusal is about', async () => {
  await using api = await openTestApi();
  await api.post(MAPS, map('a'));
  await bindPolicy(api, 'Mutating', 'm', applying("Object{metadata: Object.metadata{name: 'b'}}"));
  expect((await api.put(`${MAPS}/a`, map('a', { x: 'y' }))).body.message).toMatch(/^ConfigMap "b" is invalid/);
});

test('bindings name only operations that can be mutated, and expressions know that there are variables', async () => {
  await using api = await openTestApi();
  const path = '/apis/admissionregistration.k8s.io/v1';
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }];
  const spec = { policyName: 'm', matchResources: { resourceRules } };
  const binding = await api.post(`${path}/mutatingadmissionpolicybindings`, { metadata: { name: 'm' }, spec });
  expect(binding.body.message).toContain('spec.matchResources.resourceRules.operations: Unsupported value: "DELETE"');
  const policy = {
    metadata: { name: 'm' },
    spec: { reinvocationPolicy: 'Never', ...applying('Object{data: variables.x}') },
  };
  const refused = await api.post(`${path}/mutatingadmissionpolicies`, policy);
  expect(refused.body.message).toContain("undefined field 'x'");
});
