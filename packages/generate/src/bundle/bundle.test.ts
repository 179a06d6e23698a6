import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { expect, test } from 'vitest';
import { manifestsOf } from '../manifests/objects.ts';
import type { OperatorFacts } from '../operator/load-operator.ts';
import type { Project } from '../project/project.ts';
import { type BundleAbout, clusterServiceVersion } from './cluster-service-version.ts';
import { exampleOf } from './example.ts';
import { bundlePlace } from './write-bundle.ts';

const PROJECT: Project = {
  layout: 1,
  name: 'fruits',
  domain: 'example.com',
  license: 'Apache-2.0',
  multigroup: false,
  namespaced: false,
  resources: [],
};

function definition(spec: object): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [
    { name: 'v1', served: true, storage: true, schema },
    { name: 'v1alpha1', served: false, storage: false, schema },
  ];
  return {
    metadata: { name: 'fruitbaskets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'FruitBasket', plural: 'fruitbaskets' },
      scope: 'Namespaced',
      versions,
    },
  } as unknown as CustomResourceDefinition;
}

const hook = (name: string, path: string) => ({
  name,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { service: { namespace: 'n', name: 's', path } },
  rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['fruitbaskets'] }],
});

const FACTS = {
  definitions: [definition({ type: 'object' })],
  rules: [],
  ownRules: [],
  declared: [],
  sources: { uses: [], unknown: [], handed: [], isSharded: false, hasTelemetry: false },
  observed: [],
  controlled: [],
  converted: ['fruitbaskets.example.com'],
  webhooks: {
    mutating: { metadata: {}, webhooks: [hook('default.example.com', '/mutate')] },
    validating: { metadata: {}, webhooks: [hook('validate.example.com', '/validate')] },
  },
} as unknown as OperatorFacts;

const ABOUT: BundleAbout = {
  version: '1.2.3',
  image: 'fruits:1.2.3',
  displayName: 'Fruits',
  description: 'Fruits.',
  provider: 'example.com',
  maintainers: [],
  keywords: [],
  links: [],
  maturity: 'alpha',
  minKubeVersion: '1.28.0',
  replaces: '1.2.2',
};

function version(project: Project, facts: OperatorFacts) {
  const manifests = manifestsOf(project, facts, { namespace: 'n', image: ABOUT.image, replicas: 1 });
  return clusterServiceVersion(project, facts, manifests, ABOUT);
}

test('a bundle names what is owned, what may be done and which webhooks there are', () => {
  expect(version(PROJECT, FACTS)).toMatchObject({
    metadata: { name: 'fruits.v1.2.3' },
    spec: {
      version: '1.2.3',
      replaces: 'fruits.v1.2.2',
      customresourcedefinitions: {
        owned: [{ name: 'fruitbaskets.example.com', version: 'v1', kind: 'FruitBasket', displayName: 'Fruit Basket' }],
      },
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: [{ serviceAccountName: 'fruits' }],
          permissions: [{ serviceAccountName: 'fruits', rules: [{ resources: ['leases'] }] }],
          deployments: [
            {
              name: 'fruits',
              spec: {
                template: {
                  spec: {
                    containers: [{ env: [{}, {}, {}, { name: 'WEBHOOK_CERTIFICATES' }], image: 'fruits:1.2.3' }],
                  },
                },
              },
            },
          ],
        },
      },
      webhookdefinitions: [
        {
          type: 'MutatingAdmissionWebhook',
          generateName: 'default.example.com',
          webhookPath: '/mutate',
          targetPort: 9443,
        },
        { type: 'ValidatingAdmissionWebhook', webhookPath: '/validate', deploymentName: 'fruits' },
        { type: 'ConversionWebhook', conversionCRDs: ['fruitbaskets.example.com'], webhookPath: '/convert' },
      ],
    },
  });
});

test.each([
  [false, 'AllNamespaces'],
  [true, 'OwnNamespace'],
])('an operator of one namespace (%s) is installed in mode %s', (namespaced, mode) => {
  const { spec } = version({ ...PROJECT, namespaced }, FACTS);
  expect(spec.installModes.filter(({ supported }) => supported).map(({ type }) => type)).toEqual([mode]);
});

test('an operator without webhooks is not told of certificates', () => {
  const { webhooks: _webhooks, ...facts } = FACTS;
  expect(JSON.stringify(version(PROJECT, { ...facts, converted: [] }))).not.toContain('WEBHOOK_CERTIFICATES');
});

test.each<[object, unknown]>([
  [{ type: 'object' }, {}],
  [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'string', minLength: 9 } } }, { a: 'examplexx' }],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'string', enum: ['x', 'y'] } } }, { a: 'x' }],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'string', format: 'date' } } }, { a: '2026-01-01' }],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3 } } }, { a: 3 }],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3, exclusiveMinimum: true } } },
    { a: 4 },
  ],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'array', minItems: 1, items: { type: 'boolean' } } } },
    { a: [false] },
  ],
  [{ type: 'object', required: ['a'], properties: { a: { 'x-kubernetes-int-or-string': true } } }, { a: 0 }],
  [{ type: 'object', default: { a: 1 } }, { a: 1 }],
])('the least that %j allows is %j', (schema, expected) => {
  expect(exampleOf(definition(schema), 'v1')).toMatchObject({ kind: 'FruitBasket', spec: expected });
});

test('the image of a bundle is built where COPY reaches its folder', () => {
  expect(bundlePlace('/work/fruits', 'bundle')).toEqual({ context: '.', inContext: 'bundle' });
  expect(bundlePlace('/work/fruits', '/work/fruits/out/bundle')).toEqual({ context: '.', inContext: 'out/bundle' });
  expect(bundlePlace('/work/fruits', '..bundle')).toEqual({ context: '.', inContext: '..bundle' });
  for (const folder of ['../bundles/fruits', '/work/bundles/fruits'])
    expect(bundlePlace('/work/fruits', folder)).toEqual({ context: '/work/bundles', inContext: 'fruits' });
});
