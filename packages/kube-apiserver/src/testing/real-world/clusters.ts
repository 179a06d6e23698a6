import type { JsonObject } from '@pintle/machinery/json';
import { podSpec } from './pod-spec.ts';
import {
  ageColumn,
  atomic,
  choice,
  conditions,
  type Definition,
  DURATION,
  definition,
  fields,
  flag,
  integer,
  keyed,
  labelSelector,
  list,
  mapOf,
  rules,
  text,
  version,
} from './schema-parts.ts';

/** Clusters and their machines, similar to Cluster API: several versions, references, templates. */
const GROUP = 'clusters.real-world.dev';

const reference = (): JsonObject =>
  fields(
    { apiGroup: text({ maxLength: 253 }), kind: text({ maxLength: 63 }), name: text({ maxLength: 253 }) },
    {
      required: ['kind', 'name'],
      ...rules(['self.name == self.name.lowerAscii()', 'names are in lower case']),
    },
  );

const anyValue = (): JsonObject => ({ 'x-kubernetes-preserve-unknown-fields': true });

const clusterSpec = (): JsonObject =>
  fields(
    {
      paused: flag(),
      clusterNetwork: fields({
        apiServerPort: integer({ minimum: 1, maximum: 65_535 }),
        serviceDomain: text({ maxLength: 253 }),
        pods: cidrs(),
        services: cidrs(),
      }),
      controlPlaneEndpoint: fields(
        { host: text({ maxLength: 512 }), port: integer({ maximum: 65_535 }) },
        rules(["oldSelf.host == '' || self.host == oldSelf.host", 'the endpoint cannot move once it is known']),
      ),
      controlPlaneRef: reference(),
      infrastructureRef: reference(),
      topology: fields(
        {
          class: text({ minLength: 1, maxLength: 253 }),
          version: text({ minLength: 1, maxLength: 256 }),
          controlPlane: fields({
            replicas: integer({ minimum: 0 }),
            metadata: fields({ labels: mapOf(text()), annotations: mapOf(text()) }),
            nodeDrainTimeout: text({ pattern: DURATION, maxLength: 32 }),
          }),
          workers: fields({
            machineDeployments: keyed(
              ['name'],
              fields(
                {
                  name: text({ minLength: 1, maxLength: 63 }),
                  class: text({ minLength: 1 }),
                  replicas: integer({ minimum: 0 }),
                  failureDomain: text(),
                  variables: variables(),
                },
                { required: ['class', 'name'] },
              ),
              { maxItems: 200 },
            ),
          }),
          variables: variables(),
        },
        {
          required: ['class', 'version'],
          ...rules([
            "self.version.matches('^v[0-9]+\\\\.[0-9]+\\\\.[0-9]+')",
            'version must be a valid semantic version with a v in front',
          ]),
        },
      ),
    },
    rules(['has(self.infrastructureRef) || has(self.topology)', 'either infrastructureRef or topology must be set']),
  );

function cidrs(): JsonObject {
  return fields(
    { cidrBlocks: atomic(text({ maxLength: 43 }), { maxItems: 8 }) },
    { required: ['cidrBlocks'], ...rules(['self.cidrBlocks.all(block, isCIDR(block))', 'not a CIDR']) },
  );
}

function variables(): JsonObject {
  return keyed(
    ['name'],
    fields({ name: text({ minLength: 1, maxLength: 256 }), value: anyValue() }, { required: ['name', 'value'] }),
    { maxItems: 100 },
  );
}

const machineSpec = (): JsonObject =>
  fields(
    {
      clusterName: text({ minLength: 1, maxLength: 63 }),
      bootstrap: fields({ configRef: reference(), dataSecretName: text({ maxLength: 253 }) }),
      infrastructureRef: reference(),
      version: text({ maxLength: 256 }),
      providerID: text({ maxLength: 512 }),
      failureDomain: text({ maxLength: 256 }),
      readinessGates: keyed(['conditionType'], fields({ conditionType: text() }, { required: ['conditionType'] })),
      nodeDrainTimeout: text({ pattern: DURATION, maxLength: 32 }),
    },
    { required: ['bootstrap', 'clusterName', 'infrastructureRef'] },
  );

const deploymentSpec = (): JsonObject =>
  fields(
    {
      clusterName: text({ minLength: 1, maxLength: 63, ...rules(['self == oldSelf', 'clusterName is immutable']) }),
      replicas: integer({ default: 1, minimum: 0 }),
      selector: labelSelector(),
      strategy: fields({
        type: choice('RollingUpdate', 'OnDelete'),
        rollingUpdate: fields({ maxSurge: intOrPercent(), maxUnavailable: intOrPercent() }),
      }),
      template: fields({
        metadata: fields({ labels: mapOf(text()), annotations: mapOf(text()) }),
        spec: machineSpec(),
      }),
      hooks: list(fields({ name: text(), job: podSpec() }, { required: ['name'] }), { maxItems: 10 }),
    },
    { required: ['clusterName', 'selector', 'template'] },
  );

function intOrPercent(): JsonObject {
  return {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    ...rules(["type(self) == int || self.matches('^[0-9]+%$')", 'a number or a percentage']),
  };
}

const clusterStatus = (): JsonObject =>
  fields({
    phase: text(),
    conditions: conditions(),
    failureDomains: mapOf(fields({ controlPlane: flag(), attributes: mapOf(text()) })),
    observedGeneration: integer({ format: 'int64' }),
  });

const phase: JsonObject = { name: 'Phase', type: 'string', jsonPath: '.status.phase' };

export const clusters: Definition = definition(GROUP, { kind: 'Cluster', plural: 'clusters', shortNames: ['cl'] }, [
  version({
    name: 'v1beta2',
    storage: true,
    spec: clusterSpec(),
    status: clusterStatus(),
    columns: [phase, ageColumn],
  }),
  {
    ...version({ name: 'v1beta1', storage: false, spec: clusterSpec(), status: clusterStatus(), columns: [phase] }),
    deprecated: true,
  },
]);

export const machineDeployments: Definition = definition(
  GROUP,
  { kind: 'MachineDeployment', plural: 'machinedeployments', shortNames: ['md'] },
  [
    version({
      name: 'v1beta2',
      storage: true,
      spec: deploymentSpec(),
      status: fields({
        replicas: integer(),
        readyReplicas: integer(),
        selector: text(),
        phase: text(),
        conditions: conditions(),
      }),
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
      columns: [
        { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        phase,
      ],
    }),
  ],
);

export const cluster = {
  apiVersion: `${GROUP}/v1beta2`,
  kind: 'Cluster',
  metadata: { name: 'prod' },
  spec: {
    clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/16', 'fd00::/64'] }, serviceDomain: 'cluster.local' },
    topology: {
      class: 'small',
      version: 'v1.36.4',
      controlPlane: { replicas: 3 },
      workers: {
        machineDeployments: [{ name: 'a', class: 'default', variables: [{ name: 'size', value: { cpu: 4 } }] }],
      },
      variables: [
        { name: 'zones', value: ['a', 'b'] },
        { name: 'encrypted', value: true },
      ],
    },
  },
};

export const machineDeployment = {
  apiVersion: `${GROUP}/v1beta2`,
  kind: 'MachineDeployment',
  metadata: { name: 'workers' },
  spec: {
    clusterName: 'prod',
    replicas: 3,
    selector: { matchLabels: { pool: 'workers' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
    template: {
      metadata: { labels: { pool: 'workers' } },
      spec: {
        clusterName: 'prod',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: { kind: 'MachineTemplate', name: 'workers' },
      },
    },
    hooks: [
      {
        name: 'check',
        job: {
          containers: [
            {
              name: 'main',
              image: 'busybox',
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: '1', memory: 1024 } },
            },
          ],
        },
      },
    ],
  },
};
