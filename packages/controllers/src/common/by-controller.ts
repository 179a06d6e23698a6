import { ObjectIndex } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';
import { controllerOf } from './controller-ref.ts';

const BY_CONTROLLER = new ObjectIndex((child) => [indexValueOf(child)]);

/** All an owner may have to do with: what it controls, and what nobody in its namespace controls. From the cache. */
export interface ByController<C extends KubernetesObject> {
  controlledBy(owner: KubernetesObject): Promise<C[]>;
  controlledByNobody(namespace: string): Promise<C[]>;
}

/** Finds children without looking at those of others. */
export function byController<C extends KubernetesObject>(manager: Manager, type: ResourceType<C>): ByController<C> {
  // Whoever takes them as mere objects of the kind looks at them only.
  const list = async (value: string): Promise<C[]> =>
    (await manager.client.list(type, { index: BY_CONTROLLER.is(value) })) as unknown as C[];
  return {
    controlledBy: ({ metadata }) => list(metadata.uid ?? ''),
    controlledByNobody: (namespace) => list(`nobody/${namespace}`),
  };
}

function indexValueOf(child: KubernetesObject): string {
  return controllerOf(child)?.uid ?? `nobody/${child.metadata.namespace ?? ''}`;
}
