// The custom resource that clients are compared on.
import { resourceType } from '@pintle/machinery';

const group = 'bench.pintle.dev';

export const Fruit = resourceType({ group, version: 'v1', kind: 'Fruit', plural: 'fruits', scope: 'Namespaced' });

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const DEFINITION = {
  metadata: { name: `fruits.${group}` },
  spec: {
    group,
    names: { kind: 'Fruit', plural: 'fruits', singular: 'fruit', listKind: 'FruitList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
};

/** Returns an object of typical size for an operator: some labels, a template, conditions. */
export function fruit(index) {
  const name = `fruit-${index}`;
  return {
    metadata: {
      name,
      namespace: 'default',
      labels: { 'app.kubernetes.io/name': 'fruit', 'app.kubernetes.io/instance': name, tree: `tree-${index % 100}` },
      annotations: { 'bench.pintle.dev/note': `picked by hand on day ${index}` },
    },
    spec: {
      weight: index,
      sweetness: index % 2 === 0,
      replicas: 3,
      image: 'registry.example.org/fruit/server:v1.2.3',
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
      env: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'INDEX', value: `${index}` },
      ],
    },
    status: {
      observedGeneration: 1,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'AllReplicasReady',
          message: 'all replicas are ready',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  };
}
