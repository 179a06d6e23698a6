import type { TestApi } from './test-api.ts';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const PLURALS = { Validating: 'validatingadmissionpolicies', Mutating: 'mutatingadmissionpolicies' };
const BINDING_PLURALS = {
  Validating: 'validatingadmissionpolicybindings',
  Mutating: 'mutatingadmissionpolicybindings',
};

/** Match constraints of policies in tests, unless given. */
const onConfigMaps = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
  ],
};

/** Creates a policy, and a binding of the same name. Throws when either is refused. */
export async function bindPolicy(
  api: TestApi,
  type: 'Validating' | 'Mutating',
  name: string,
  spec: object,
  bound: object = {},
): Promise<void> {
  const isMutating = type === 'Mutating';
  const defaults = { matchConstraints: onConfigMaps, ...(isMutating && { reinvocationPolicy: 'Never' }) };
  const actions = isMutating ? {} : { validationActions: ['Deny'] };
  const create = async (plural: string, kind: string, own: object): Promise<void> => {
    const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, spec: own };
    const { status, body } = await api.post(`${REGISTRATION}/${plural}`, object);
    if (status !== 201) throw new Error(String(body.message));
  };
  await create(PLURALS[type], `${type}AdmissionPolicy`, { ...defaults, ...spec });
  await create(BINDING_PLURALS[type], `${type}AdmissionPolicyBinding`, { policyName: name, ...actions, ...bound });
}

/** Returns a rule for all versions of some resources. */
export function policyRule(group: string, ...resources: string[]): object {
  const rule = { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE', 'CONNECT'], resources };
  return { matchConstraints: { resourceRules: [rule] } };
}
