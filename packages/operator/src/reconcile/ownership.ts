import type { Configuration } from '@pintle/client';
import { controllerOf, ObjectIndex, ownerReference } from '@pintle/client';
import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';
import { formatObjectName } from '@pintle/machinery';
import type { Request } from '../controller/request.ts';
import { OperatorError } from '../errors.ts';

/**
 * Link from a child to its owner.
 *
 * - `controller`: owner reference with `controller: true`. The child is deleted with its owner, and its changes enqueue the
 *   owner. An object has at most one controller.
 * - `plain`: owner reference. The child is deleted with the last of its owners; its changes enqueue none.
 * - `label`: label and annotation, for children outside the owner's namespace, where Kubernetes allows no owner reference.
 *   Their changes enqueue the owner and `prune` finds them, but they are not deleted with the owner: use `finalize`.
 * - `none`: no link.
 */
export type OwnerReferenceMode = 'controller' | 'plain' | 'label' | 'none';

/** Label of mode `label`: uid of the owner. */
export const OWNER_UID_LABEL = 'pintle.dev/owner-uid';
/** Annotation of mode `label`: kind, namespace and name of the owner. */
export const OWNER_ANNOTATION = 'pintle.dev/owner';

/** Index of children by the uid of their controller, or of the owner in their label. */
export const BY_OWNER: ObjectIndex = new ObjectIndex(ownerUidsOf);

export interface Owner<T extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly object: T;
}

/** Default: `controller` where Kubernetes allows it, otherwise `label`. Throws when the requested mode is not allowed. */
export function ownerReferenceMode(owner: Owner, child: ChildRef, requested?: OwnerReferenceMode): OwnerReferenceMode {
  const forbidden = ownershipProblem(owner, child);
  if (requested === undefined) return forbidden === undefined ? 'controller' : 'label';
  if ((requested === 'controller' || requested === 'plain') && forbidden !== undefined)
    throw new OperatorError({
      code: 'CannotOwn',
      owner: nameOf(owner.type, owner.object.metadata),
      child: nameOf(child.type, child),
      because: forbidden,
    });
  return requested;
}

export interface ChildRef<C extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<C>;
  readonly namespace: string | undefined;
  readonly name: string;
}

function ownershipProblem({ type, object }: Owner, child: ChildRef): string | undefined {
  if (type.scope === 'Cluster') return undefined;
  if (child.type.scope === 'Cluster') return 'a namespaced owner cannot own cluster-scoped objects';
  if (child.namespace !== object.metadata.namespace) return 'a namespaced owner cannot own objects in other namespaces';
  return undefined;
}

/** Returns the name and namespace of the child: by default the namespace of its owner. */
export function childRefOf<C extends KubernetesObject>(
  owner: Owner,
  type: ResourceType<C>,
  metadata: { readonly namespace?: unknown; readonly name: string },
): ChildRef<C> {
  const { name } = metadata;
  if (type.scope === 'Cluster') return { type, namespace: undefined, name };
  const namespace = (metadata.namespace as string | undefined) || owner.object.metadata.namespace;
  if (namespace) return { type, namespace, name };
  const child = nameOf(type, { name });
  throw new OperatorError({ code: 'NoNamespace', child, owner: nameOf(owner.type, owner.object.metadata) });
}

/** Returns a copy of the configuration with its namespace and the link to its owner. */
export function withOwner<C extends KubernetesObject>(
  owner: Owner,
  { type, namespace }: ChildRef,
  configuration: Configuration<C>,
  mode: OwnerReferenceMode,
): Configuration<C> {
  const metadata: Record<string, unknown> = { ...configuration.metadata };
  if (namespace !== undefined) metadata.namespace = namespace;
  if (mode === 'controller' || mode === 'plain') {
    const others = metadata.ownerReferences as OwnerReference[] | undefined;
    const reference = referenceTo(owner, mode);
    metadata.ownerReferences = others === undefined ? [reference] : [...others, reference];
  } else if (mode === 'label') {
    metadata.labels = { ...(metadata.labels as object), [OWNER_UID_LABEL]: owner.object.metadata.uid ?? '' };
    metadata.annotations = { ...(metadata.annotations as object), [OWNER_ANNOTATION]: ownerText(owner) };
  }
  return { apiVersion: type.apiVersion, kind: type.kind, ...configuration, metadata } as unknown as Configuration<C>;
}

function referenceTo({ type, object }: Owner, mode: 'controller' | 'plain'): OwnerReference {
  const reference = ownerReference(type, object);
  if (mode === 'plain') return reference;
  reference.controller = true;
  reference.blockOwnerDeletion = true;
  return reference;
}

/** Returns `SecSynch.example.com/default/app`. None of the parts has a slash. */
function ownerText({ type, object: { metadata } }: Owner): string {
  return `${type.kind}.${type.group}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** Throws when another object owns the child in this mode. An earlier owner of the same name does not count. */
export function checkUnclaimed(
  owner: Owner,
  type: ResourceType,
  child: KubernetesObject,
  mode: OwnerReferenceMode,
): void {
  const other =
    mode === 'controller' ? otherController(owner, child) : mode === 'label' ? otherLabel(owner, child) : '';
  if (other) throw new OperatorError({ code: 'OwnedByAnother', child: nameOf(type, child.metadata), owner: other });
}

function otherController({ type, object }: Owner, child: KubernetesObject): string | undefined {
  const other = controllerOf(child);
  if (other === undefined || other.uid === object.metadata.uid) return undefined;
  const isSame = other.kind === type.kind && other.name === object.metadata.name && groupOf(other) === type.group;
  return isSame ? undefined : `${other.kind} ${other.name}`;
}

function otherLabel(owner: Owner, { metadata }: KubernetesObject): string | undefined {
  const uid = metadata.labels?.[OWNER_UID_LABEL];
  const text = metadata.annotations?.[OWNER_ANNOTATION];
  return uid && uid !== owner.object.metadata.uid && text !== ownerText(owner) ? (text ?? uid) : undefined;
}

/** Yields the owners of a child of the kind: its controller and the owner in its label; with `isEvery`, all of its owners. */
export function* ownersOf(
  child: KubernetesObject,
  type: ResourceType,
  { isEvery = false }: { readonly isEvery?: boolean } = {},
): Iterable<Request> {
  const { ownerReferences, namespace: childNamespace, labels, annotations } = child.metadata;
  for (const reference of ownerReferences ?? []) {
    if (!(reference.controller || isEvery) || reference.kind !== type.kind || groupOf(reference) !== type.group)
      continue;
    const namespace = type.scope === 'Namespaced' ? childNamespace : undefined;
    yield { ...(namespace && { namespace }), name: reference.name };
  }
  const [kind, namespace, name] = labels?.[OWNER_UID_LABEL] ? (annotations?.[OWNER_ANNOTATION]?.split('/') ?? []) : [];
  if (kind === `${type.kind}.${type.group}` && name) yield { ...(namespace && { namespace }), name };
}

/** Returns the uid of the controller, or of the owner in the label. */
export function ownerUidsOf(child: KubernetesObject): readonly string[] {
  const uid = controllerOf(child)?.uid ?? child.metadata.labels?.[OWNER_UID_LABEL];
  return uid ? [uid] : [];
}

function groupOf({ apiVersion }: OwnerReference): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

export function nameOf(type: ResourceType, metadata: { namespace?: string | undefined; name?: string }): string {
  const { namespace, name } = metadata;
  return `${type.kind} ${formatObjectName({ ...(namespace && { namespace }), ...(name !== undefined && { name }) })}`;
}
