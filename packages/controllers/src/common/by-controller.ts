import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';
import { controllerOf } from './controller-ref.ts';

const INDEX = 'controller';

/** All an owner may have to do with: what it controls, and what nobody in its namespace controls. From the cache. */
export interface ByController<C extends KubernetesObject> {
  controlledBy(owner: KubernetesObject): Promise<C[]>;
  controlledByNobody(namespace: string): Promise<C[]>;
}

/** Finds children without looking at those of others. */
export function byController<C extends KubernetesObject>(manager: Manager, type: ResourceType<C>): ByController<C> {
  const list = async (value: string): Promise<C[]> => {
    manager.informers.find(type)?.addIndex(INDEX, (child) => [indexValueOf(child)]);
    return await manager.client.list(type, { index: { name: INDEX, value } });
  };
  return {
    controlledBy: ({ metadata }) => list(metadata.uid ?? ''),
    controlledByNobody: (namespace) => list(`nobody/${namespace}`),
  };
}

function indexValueOf(child: KubernetesObject): string {
  return controllerOf(child)?.uid ?? `nobody/${child.metadata.namespace ?? ''}`;
}
