import { controllerOf, ownerReference } from '@pintle/client';
import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';

export { controllerOf };

export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference that makes `owner` the controller of an object. */
export function controllerRef(type: ResourceType, owner: KubernetesObject): OwnerReference {
  return { ...ownerReference(type, owner), controller: true, blockOwnerDeletion: true };
}
