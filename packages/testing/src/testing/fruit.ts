import { ownerReference } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';

/** The custom resource of this package's own tests. */
export interface Fruit extends KubernetesObject {
  spec: { weight: number };
  status?: { ripe?: boolean };
}

export const Fruit = resourceType<Fruit>({
  group: 'test.pintle.dev',
  version: 'v1',
  kind: 'Fruit',
  plural: 'fruits',
  scope: 'Namespaced',
});

export const fruitDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'fruits.test.pintle.dev' },
  spec: {
    group: Fruit.group,
    scope: Fruit.scope,
    names: { kind: Fruit.kind, plural: Fruit.plural, singular: Fruit.singular, listKind: Fruit.listKind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', required: ['weight'], properties: { weight: { type: 'integer', minimum: 1 } } },
              status: { type: 'object', properties: { ripe: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

export function fruit(name: string, weight = 120): Fruit {
  return {
    apiVersion: 'test.pintle.dev/v1',
    kind: 'Fruit',
    metadata: { namespace: 'default', name },
    spec: { weight },
  };
}

/** Creates a ConfigMap for each fruit, then sets its status: two writes, the second after the first. */
export function addFruitController(manager: Manager): void {
  manager
    .controller(Fruit)
    .owns(ConfigMap)
    .reconcile(async (object, { client }) => {
      const { namespace = '', name = '' } = object.metadata;
      const label = { namespace, name: `${name}-label` };
      const data = { weight: `${object.spec.weight}` };
      const found = await client.find(ConfigMap, label);
      if (found === undefined) {
        const ownerReferences = [{ ...ownerReference(Fruit, object), controller: true }];
        await client.create(ConfigMap, { metadata: { ...label, ownerReferences }, data });
      } else if (found.data?.weight !== data.weight) await client.update(ConfigMap, { ...found, data });
      const ripe = object.spec.weight > 100;
      if (object.status?.ripe !== ripe)
        await client.patch(
          Fruit,
          { namespace, name },
          { type: 'merge', body: { status: { ripe } } },
          { subresource: 'status' },
        );
    });
}
