import type { ValidatingAdmissionPolicySpec } from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { expect, test } from 'vitest';
import { checkTypes } from './check-types.ts';

const rule = (group: string, ...resources: string[]) => ({
  matchConstraints: {
    resourceRules: [{ apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE' as const], resources }],
  },
});

function warnings(
  spec: ValidatingAdmissionPolicySpec,
  definitions: readonly CustomResourceDefinition[] = [],
): string[] {
  return checkTypes(spec, definitions).map(({ fieldRef, warning }) => `${fieldRef} ${warning.split('\n')[0]}`);
}

const boxes = {
  metadata: { name: 'boxes.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boxes', kind: 'Box' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer' } } } },
      },
    ],
  },
} as const satisfies object as unknown as CustomResourceDefinition;

test('an expression about a field that the kind has not is told', () => {
  expect(
    warnings({ ...rule('apps', 'deployments'), validations: [{ expression: 'object.spec.replica > 1' }] }),
  ).toEqual([
    "spec.validations[0].expression apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'",
  ]);
});

test('whatever fits is not told: the port of a probe may be a text or a number', () => {
  const expression =
    "object.spec.containers.all(c, c.livenessProbe.httpGet.port == 'web' && c.ports.all(p, p.containerPort > 1)) && oldObject == null";
  expect(warnings({ ...rule('', 'pods'), validations: [{ expression }] })).toEqual([]);
});

test('stars, subresources and unknown resources are not checked', () => {
  const validations = [{ expression: 'object.nonsense' }];
  for (const spec of [rule('*', 'pods'), rule('', '*', 'pods/status'), rule('', 'nothing')]) {
    expect(warnings({ ...spec, validations })).toEqual([]);
  }
});

test('every kind that a rule names is checked, in order', () => {
  const spec = {
    ...rule('apps', 'replicasets', 'deployments'),
    validations: [{ expression: "object.spec.replicas == ''" }],
  };
  expect(checkTypes(spec, [])[0]?.warning.match(/Kind=\w+/g)).toEqual(['Kind=Deployment', 'Kind=ReplicaSet']);
});

test('custom resources are checked by their schemas, and so are parameters', () => {
  const spec = {
    ...rule('example.com', 'boxes'),
    paramKind: { apiVersion: 'example.com/v1', kind: 'Box' },
    validations: [{ expression: 'object.size < params.size' }, { expression: 'object.size < params.weight' }],
  };
  expect(warnings(spec, [boxes])).toEqual([
    "spec.validations[1].expression example.com/v1, Kind=Box: ERROR: <input>:1:21: undefined field 'weight'",
  ]);
});

test('definitions themselves, whose schemas have no end, are known as far as they go', () => {
  const root = 'object.spec.versions[0].schema.openAPIV3Schema';
  const spec = {
    ...rule('apiextensions.k8s.io', 'customresourcedefinitions'),
    validations: ['object.x', `${root}.type == 1`, `${root}.not.type`].map((expression) => ({ expression })),
  };
  expect(warnings(spec)).toEqual([
    "spec.validations[0].expression apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:7: undefined field 'x'",
    "spec.validations[1].expression apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:53: found no matching overload for '_==_' applied to '(string, int)'",
    "spec.validations[2].expression apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:51: undefined field 'type'",
  ]);
});

test('types are called by their kind and when they were made', () => {
  const spec = { ...rule('', 'configmaps'), validations: [{ expression: 'object > 1' }] };
  expect(checkTypes(spec, [], 5_012)[0]?.warning).toContain("applied to '(ConfigMap12000000, int)'");
});

test('quantities are nothing that expressions can speak of', () => {
  expect(
    warnings({ ...rule('', 'resourcequotas'), validations: [{ expression: "object.spec.hard['pods'] == '1'" }] }),
  ).toEqual(["spec.validations[0].expression /v1, Kind=ResourceQuota: ERROR: <input>:1:12: undefined field 'hard'"]);
});

test('a rule about events without a group means those of both groups', () => {
  const spec = { ...rule('', 'events'), validations: [{ expression: 'object.nothing' }] };
  expect(checkTypes(spec, [])[0]?.warning).toMatch(/^\/v1, Kind=Event: [\s\S]*events\.k8s\.io\/v1, Kind=Event: /);
});
