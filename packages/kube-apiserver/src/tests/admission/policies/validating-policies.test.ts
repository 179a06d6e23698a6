import type { AuditEvent } from '@pintle/apiserver';
import { expect, test } from 'vitest';
import { bindPolicy, policyRule } from '../../../testing/admission-policy.ts';
import { openTestApi } from '../../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const map = (name: string, data = {}, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const denied = (why: string) => `ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ${why}`;
const no = (more: object = {}) => ({ validations: [{ expression: 'false', message: 'no', ...more }] });

test('a validation that fails denies, with the code of its reason', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Validating', 'p', no({ reason: 'RequestEntityTooLarge' }));
  expect(await api.post(MAPS, map('a'))).toMatchObject({
    status: 413,
    body: {
      reason: 'RequestEntityTooLarge',
      message: `configmaps "a" is forbidden: ${denied('no')}`,
      details: { kind: 'configmaps', name: 'a', causes: [{ message: denied('no') }] },
    },
  });
  expect(await api.get(`${MAPS}/a`)).toMatchObject({ status: 404 });
});

test('a policy is in force with the answer to its binding, and out of it with the answer to the delete', async () => {
  await using api = await openTestApi();
  expect((await api.post(MAPS, map('a'))).status).toBe(201);
  await bindPolicy(api, 'Validating', 'p', no());
  expect((await api.post(MAPS, map('b'))).status).toBe(422);
  await api.delete(`${BINDINGS}/p`);
  expect((await api.post(MAPS, map('b'))).status).toBe(201);
});

test('policies, bindings, webhooks and questions are out of reach of policies', async () => {
  await using api = await openTestApi();
  await bindPolicy(api, 'Validating', 'p', { ...no(), ...policyRule('*', '*') });
  await bindPolicy(api, 'Validating', 'q', no());
  await bindPolicy(api, 'Mutating', 'm', {
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
  });
  expect((await api.post(MAPS, map('a'))).status).toBe(422);
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  expect((await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review)).status).toBe(201);
  const kind = 'ValidatingWebhookConfiguration';
  const hooks = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'h' } };
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  expect((await api.post(path, hooks)).status).toBe(201);
  expect((await api.delete(`${POLICIES}/p`)).status).toBe(200);
});

test('conditions that cannot be decided follow the failure policy, and one that is false outweighs them', async () => {
  await using api = await openTestApi();
  const matchConditions = [
    { name: 'broken', expression: "object.data.x == 'x'" },
    { name: 'wanted', expression: "object.metadata.name != 'spared'" },
  ];
  await bindPolicy(api, 'Validating', 'p', { ...no(), matchConditions });
  expect((await api.post(MAPS, map('a'))).body.message).toContain(
    "expression 'object.data.x == 'x'' resulted in error: no such key: data",
  );
  expect((await api.post(MAPS, map('spared'))).status).toBe(201);
});

test('what costs too much is an error of the policy', async () => {
  await using api = await openTestApi();
  const many = "object.data.x.split('').all(a, object.data.x.split('').all(b, a == b))";
  const validations = [{ expression: many }];
  await bindPolicy(api, 'Validating', 'p', { validations });
  expect((await api.post(MAPS, map('a', { x: 'x'.repeat(3000) }))).body.message).toContain(
    `expression '${many}' resulted in error: operation cancelled: actual cost limit exceeded`,
  );
  await bindPolicy(api, 'Validating', 'sum', { validations: Array.from({ length: 20 }, () => ({ expression: many })) });
  await api.delete(`${BINDINGS}/p`);
  expect((await api.post(MAPS, map('a', { x: 'x'.repeat(330) }))).body.message).toContain(
    'validation failed due to running out of cost budget, no further validation rules will be run',
  );
});

test('an annotation that has no value denies, whatever the actions; the audit has the others', async () => {
  const events: AuditEvent[] = [];
  const audit = { sink: { write: (event: AuditEvent) => void events.push(event), close: async () => {} } };
  await using api = await openTestApi({ audit: audit as never });
  const auditAnnotations = [
    { key: 'size', valueExpression: 'string(size(object.data))' },
    { key: 'none', valueExpression: 'null' },
  ];
  await bindPolicy(api, 'Validating', 'p', { ...no(), auditAnnotations }, { validationActions: ['Audit'] });
  expect((await api.post(MAPS, map('a', { x: '1' }))).status).toBe(201);
  const { annotations = {} } = events.at(-1)!;
  expect(annotations['p/size']).toBe('1');
  expect(annotations).not.toHaveProperty('p/none');
  expect(JSON.parse(annotations['validation.policy.admission.k8s.io/validation_failure']!)).toEqual([
    { message: 'no', policy: 'p', binding: 'p', expressionIndex: 0, validationActions: ['Audit'] },
  ]);
  expect((await api.post(MAPS, map('b'))).body.message).toContain(
    "expression 'string(size(object.data))' resulted in error: no such key: data",
  );
});

test('every parameter with the label must agree; none at all allows when the binding says so', async () => {
  await using api = await openTestApi();
  const selector = { matchLabels: { limit: 'yes' } };
  const paramRef = { selector, parameterNotFoundAction: 'Allow' };
  const spec = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConditions: [{ name: 'sized', expression: "object.data.?size.hasValue() && object.metadata.name != 'x'" }],
    validations: [
      { expression: 'object.data.size <= params.data.max', messageExpression: 'string(params.metadata.name)' },
    ],
  };
  await bindPolicy(api, 'Validating', 'p', spec, { paramRef });
  expect((await api.post(MAPS, map('a', { size: '9' }))).status).toBe(201);
  await api.post(MAPS, map('high', { max: '7' }, { labels: { limit: 'yes' } }));
  await api.post(MAPS, map('low', { max: '5' }, { labels: { limit: 'yes' } }));
  expect((await api.post(MAPS, map('b', { size: '6' }))).body.message).toContain(denied('low'));
  expect((await api.post(MAPS, map('b', { size: '5' }))).status).toBe(201);
});

test('parameters in a namespace do not go with requests outside of all', async () => {
  await using api = await openTestApi();
  const paramRef = { name: 'a', parameterNotFoundAction: 'Deny' };
  const spec = { ...no(), paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...policyRule('', 'nodes') };
  await bindPolicy(api, 'Validating', 'p', spec, { paramRef });
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
  expect((await api.post('/api/v1/nodes', node)).body.message).toContain(
    'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
});

test('a name that the server makes up is known to validations', async () => {
  await using api = await openTestApi();
  const validations = [
    { expression: "!request.name.startsWith('gen-')", messageExpression: 'string(object.metadata.name)' },
  ];
  await bindPolicy(api, 'Validating', 'p', { validations });
  const { body } = await api.post(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } });
  expect(body.message).toMatch(/^configmaps "gen-\w{5}" is forbidden: .* denied request: gen-\w{5}$/);
});
