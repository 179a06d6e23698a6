import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';

/** The reference of the object that controls this one. */
export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference that makes `owner` the controller of an object. */
export function controllerRef(
  type: ResourceType,
  { metadata: { name = '', uid = '' } }: KubernetesObject,
): OwnerReference {
  return { apiVersion: type.apiVersion, kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
