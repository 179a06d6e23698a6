import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';
import { formatObjectName, parseGroupVersion } from '@pintle/machinery';
import { ClientError } from '../errors.ts';

/** A reference that lets an object go when its owner does. */
export function ownerReference(
  type: ResourceType,
  { metadata: { name = '', uid = '' } }: KubernetesObject,
): OwnerReference {
  return { apiVersion: type.apiVersion, kind: type.kind, name, uid };
}

/** The reference of the object that controls this one. */
export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

/**
 * Makes `owner` the controller of an object that is about to be written. A reference to an earlier owner of the same
 * name is replaced. Throws when another controls it, or when the two live where owning is not possible.
 */
export function setControllerReference(object: KubernetesObject, type: ResourceType, owner: KubernetesObject): void {
  checkNamespaces(object, type, owner);
  const reference = { ...ownerReference(type, owner), controller: true, blockOwnerDeletion: true };
  const other = controllerOf(object);
  if (other !== undefined && !isSameOwner(other, reference)) {
    const name = formatObjectName(object.metadata);
    throw new ClientError({
      code: 'AlreadyOwned',
      object: `${object.kind} ${name}`,
      owner: `${other.kind} ${other.name}`,
    });
  }
  const others = (object.metadata.ownerReferences ?? []).filter((existing) => !isSameOwner(existing, reference));
  object.metadata.ownerReferences = [...others, reference];
}

function checkNamespaces({ metadata }: KubernetesObject, type: ResourceType, owner: KubernetesObject): void {
  if (type.scope === 'Cluster' || metadata.namespace === owner.metadata.namespace) return;
  const [object, by] = [formatObjectName(metadata), formatObjectName(owner.metadata)];
  throw new TypeError(`Cannot let ${by} own ${object}: an owner in a namespace owns within it`);
}

/** Versions may differ, and so may the uid when the owner was made anew. */
function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  const group = (reference: OwnerReference) => parseGroupVersion(reference.apiVersion)?.group;
  return a.kind === b.kind && a.name === b.name && group(a) === group(b);
}
