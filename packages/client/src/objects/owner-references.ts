import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';
import { formatObjectName, parseGroupVersion } from '@pintle/machinery';
import { ClientError } from '../errors.ts';

/** Returns an owner reference: the object is garbage collected with its owner. */
export function ownerReference(
  type: ResourceType,
  { metadata: { name = '', uid = '' } }: KubernetesObject,
): OwnerReference {
  return { apiVersion: type.apiVersion, kind: type.kind, name, uid };
}

/** Returns the owner reference of the controller. */
export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

/**
 * Makes `owner` the controller of an object that is about to be written. Replaces a reference to an earlier owner of the same
 * name. Throws when another object controls it, or when the namespaces do not allow it.
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
  throw new TypeError(
    `Cannot make ${by} the owner of ${object}: a namespaced owner must be in the namespace of the object`,
  );
}

/** Ignores the version, and the uid, which differs when the owner was recreated. */
function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  const group = (reference: OwnerReference) => parseGroupVersion(reference.apiVersion)?.group;
  return a.kind === b.kind && a.name === b.name && group(a) === group(b);
}
