import type { KubernetesObject } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';
import { expect, test } from 'vitest';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../../generated/admissionregistration/v1.ts';
import { mutatingAdmissionPolicyRules, validatingAdmissionPolicyRules } from './admission-policy.ts';

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['pods'] };
const matchConstraints = { resourceRules: [rule] };

type Rules<T extends KubernetesObject> = Pick<ResourceRules<T>, 'default' | 'validate'>;

/** What the rules have to say of a policy: where, and the last words of it. */
function refusalsOf<T extends KubernetesObject>(rules: Rules<T>, policy: T): string[] {
  rules.default!(policy);
  const words = /(?:(?:compilation|instantiation) failed|must evaluate).*/;
  return rules.validate!(policy).map(({ field, body }) => `${field}: ${words.exec(body)?.[0]}`);
}

function refusals(spec: Partial<ValidatingAdmissionPolicySpec>): string[] {
  const policy = {
    metadata: { name: 'a' },
    spec: { matchConstraints, validations: [{ expression: 'true' }], ...spec },
  };
  return refusalsOf(validatingAdmissionPolicyRules, policy as ValidatingAdmissionPolicy);
}

function mutationRefusals(spec: Partial<MutatingAdmissionPolicySpec>): string[] {
  const policy = { metadata: { name: 'a' }, spec: { matchConstraints, reinvocationPolicy: 'Never', ...spec } };
  return refusalsOf(mutatingAdmissionPolicyRules, policy as MutatingAdmissionPolicy);
}

test('an expression that does not compile is refused with the place in it', () => {
  expect(refusals({ validations: [{ expression: 'object.' }] })).toEqual([
    "spec.validations[0].expression: compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'",
  ]);
});

test('blanks around an expression count in validations, and nowhere else', () => {
  const place = (field: string, column: number) =>
    `${field}: compilation failed: ERROR: <input>:1:${column}: undeclared reference to 'a' (in container '')`;
  expect(
    refusals({
      matchConditions: [{ name: 'm', expression: ' a' }],
      validations: [{ expression: ' a' }],
      auditAnnotations: [{ key: 'k', valueExpression: ' a' }],
    }),
  ).toEqual([
    place('spec.matchConditions[0].expression', 1),
    place('spec.validations[0].expression', 2),
    place('spec.auditAnnotations[0].valueExpression', 1),
  ]);
});

test('an expression is of the type its place asks for, exactly', () => {
  expect(refusals({ validations: [{ expression: 'object.spec.x', messageExpression: '1' }] })).toEqual([
    'spec.validations[0].expression: must evaluate to bool but got dyn',
    'spec.validations[0].messageExpression: must evaluate to string but got int',
  ]);
  expect(refusals({ auditAnnotations: [{ key: 'k', valueExpression: '1' }] })).toEqual([
    'spec.auditAnnotations[0].valueExpression: must evaluate to one of [string null_type] but got int',
  ]);
});

test('variables see those before them, and keep their types', () => {
  const variables = [
    { name: 'a', expression: 'size(object.spec.x)' },
    { name: 'b', expression: 'variables.a > 1' },
  ];
  expect(refusals({ variables, validations: [{ expression: 'variables.b' }] })).toEqual([]);
  expect(refusals({ variables: variables.toReversed() })).toEqual([
    "spec.variables[0].expression: compilation failed: ERROR: <input>:1:10: undefined field 'a'",
  ]);
});

test('parameters are seen only where there is a kind of them, the authorizer never by messages', () => {
  const validations = [{ expression: 'params.x == 1', messageExpression: 'string(authorizer == null)' }];
  expect(refusals({ validations, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })).toEqual([
    "spec.validations[0].messageExpression: compilation failed: ERROR: <input>:1:8: undeclared reference to 'authorizer' (in container '')",
  ]);
  expect(refusals({ validations: [{ expression: 'params.x == 1' }] })).toEqual([
    "spec.validations[0].expression: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
  ]);
});

test('a constant without a value is an internal error', () => {
  expect(refusals({ variables: [{ name: 'a', expression: "int('x')" }] })).toEqual([
    "spec.variables[0].expression: instantiation failed: type conversion error from 'string' to 'int'",
  ]);
});

test('mutations make objects or lists of patches', () => {
  const object = (expression: string) =>
    ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }) as const;
  const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } }) as const;
  expect(mutationRefusals({ mutations: [object('Object{}'), patch('[]')] })).toEqual([
    'spec.mutations[1].jsonPatch.expression: must evaluate to list(JSONPatch) but got list(dyn)',
  ]);
  expect(mutationRefusals({ mutations: [object('{}'), patch("[JSONPatch{op: 'add'}]")] })).toEqual([
    'spec.mutations[0].applyConfiguration.expression: must evaluate to Object but got map(dyn, dyn)',
  ]);
});
