import { expect, test } from 'vitest';
import type { TestApi } from '../../../testing/test-api.ts';
import { openTestApi } from '../../../testing/test-api.ts';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const user = { username: 'bob', groups: ['growers'] };
const headers = { 'content-type': 'application/json' };

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    paramKind: { apiVersion: 'v1', kind: 'Secret' },
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: 'false', messageExpression: 'string(params.data)' }],
  },
};
const binding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'p' },
  spec: {
    policyName: 'p',
    validationActions: ['Deny'],
    paramRef: { name: 's', namespace: 'default', parameterNotFoundAction: 'Deny' },
  },
};

async function allow(api: TestApi, name: string, rule: object): Promise<void> {
  const metadata = { name };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await api.post(`${RBAC}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata, rules: [rule] });
  const bound = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  await api.post(`${RBAC}/clusterrolebindings`, bound);
}

test('nobody reads through a policy what they may not read themselves', async () => {
  await using api = await openTestApi();
  await allow(api, 'author', { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] });
  const create = (path: string, object: object) => api.post(`${REGISTRATION}/${path}`, object, { user, headers });
  expect(await create('validatingadmissionpolicies', policy)).toMatchObject({
    status: 422,
    body: {
      message: `ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.paramKind: Forbidden: user &{bob  [growers] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
    },
  });
  await api.post(`${REGISTRATION}/validatingadmissionpolicies`, policy);
  expect((await create('validatingadmissionpolicybindings', binding)).body.message).toBe(
    `ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "p" is invalid: spec.paramRef: Forbidden: user &{bob  [growers] map[]} does not have "get" permission on the object referenced by paramRef`,
  );

  await allow(api, 'reader', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] });
  expect((await create('validatingadmissionpolicybindings', binding)).status).toBe(201);
  expect((await create('validatingadmissionpolicies', { ...policy, metadata: { name: 'q' } })).status).toBe(201);
});
