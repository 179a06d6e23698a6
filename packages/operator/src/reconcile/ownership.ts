import type { Configuration } from '@pintle/client';
import { controllerOf, ObjectIndex, ownerReference } from '@pintle/client';
import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';
import { formatObjectName } from '@pintle/machinery';
import type { Request } from '../controller/request.ts';
import { OperatorError } from '../errors.ts';

/**
 * How a child is tied to its owner.
 *
 * - `controller`: it goes when its owner goes, and its changes concern the owner. An object has one controller.
 * - `plain`: it goes when the last of its owners goes; its changes concern nobody.
 * - `label`: for children where Kubernetes allows no owner reference, out of the owner's namespace. Their changes
 *   concern the owner and `prune` finds them, but nobody deletes them with the owner: `finalize` has to.
 * - `none`: the object stands by itself.
 */
export type Tie = 'controller' | 'plain' | 'label' | 'none';

/** Children that are tied by a label carry their owner's uid in it, and its name in an annotation. */
export const OWNER_UID = 'pintle.dev/owner-uid';
export const OWNER = 'pintle.dev/owner';

/** The index of children by the uid of the owner that controls them or labelled them. */
export const BY_OWNER: ObjectIndex = new ObjectIndex(ownerUidsOf);

export interface Owner<T extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly object: T;
}

/** Default: the owner controls what it may own, and labels the rest. Throws when the rules forbid what is asked for. */
export function tieOf(owner: Owner, child: ChildPlace, asked?: Tie): Tie {
  const forbidden = whyNotOwned(owner, child);
  if (asked === undefined) return forbidden === undefined ? 'controller' : 'label';
  if ((asked === 'controller' || asked === 'plain') && forbidden !== undefined)
    throw new OperatorError({
      code: 'CannotOwn',
      owner: nameOf(owner.type, owner.object.metadata),
      child: nameOf(child.type, child),
      because: forbidden,
    });
  return asked;
}

export interface ChildPlace<C extends KubernetesObject = KubernetesObject> {
  readonly type: ResourceType<C>;
  readonly namespace: string | undefined;
  readonly name: string;
}

function whyNotOwned({ type, object }: Owner, child: ChildPlace): string | undefined {
  if (type.scope === 'Cluster') return undefined;
  if (child.type.scope === 'Cluster') return 'an owner in a namespace owns nothing outside of namespaces';
  if (child.namespace !== object.metadata.namespace) return 'an owner in a namespace owns within it';
  return undefined;
}

/** Where the child will be: in its owner's namespace unless it says otherwise. */
export function placeOf<C extends KubernetesObject>(
  owner: Owner,
  type: ResourceType<C>,
  metadata: { readonly namespace?: unknown; readonly name: string },
): ChildPlace<C> {
  const { name } = metadata;
  if (type.scope === 'Cluster') return { type, namespace: undefined, name };
  const namespace = (metadata.namespace as string | undefined) || owner.object.metadata.namespace;
  if (namespace) return { type, namespace, name };
  const child = nameOf(type, { name });
  throw new OperatorError({ code: 'NoNamespace', child, owner: nameOf(owner.type, owner.object.metadata) });
}

/** The configuration, in its place and with its tie. The caller's is left as it is. */
export function tied<C extends KubernetesObject>(
  owner: Owner,
  { type, namespace }: ChildPlace,
  configuration: Configuration<C>,
  tie: Tie,
): Configuration<C> {
  const metadata: Record<string, unknown> = { ...configuration.metadata };
  if (namespace !== undefined) metadata.namespace = namespace;
  if (tie === 'controller' || tie === 'plain') {
    const others = metadata.ownerReferences as OwnerReference[] | undefined;
    const reference = referenceTo(owner, tie);
    metadata.ownerReferences = others === undefined ? [reference] : [...others, reference];
  } else if (tie === 'label') {
    metadata.labels = { ...(metadata.labels as object), [OWNER_UID]: owner.object.metadata.uid ?? '' };
    metadata.annotations = { ...(metadata.annotations as object), [OWNER]: ownerText(owner) };
  }
  return { apiVersion: type.apiVersion, kind: type.kind, ...configuration, metadata } as unknown as Configuration<C>;
}

function referenceTo({ type, object }: Owner, tie: 'controller' | 'plain'): OwnerReference {
  const reference = ownerReference(type, object);
  if (tie === 'plain') return reference;
  reference.controller = true;
  reference.blockOwnerDeletion = true;
  return reference;
}

/** `SecSynch.example.com/default/app`: none of the parts holds a slash. */
function ownerText({ type, object: { metadata } }: Owner): string {
  return `${type.kind}.${type.group}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** Throws when another object controls, or labelled, the child. One of the owner's name that is gone does not count. */
export function checkUnclaimed(owner: Owner, type: ResourceType, child: KubernetesObject, tie: Tie): void {
  const other = tie === 'controller' ? otherController(owner, child) : tie === 'label' ? otherLabel(owner, child) : '';
  if (other) throw new OperatorError({ code: 'OwnedByAnother', child: nameOf(type, child.metadata), owner: other });
}

function otherController({ type, object }: Owner, child: KubernetesObject): string | undefined {
  const other = controllerOf(child);
  if (other === undefined || other.uid === object.metadata.uid) return undefined;
  const isSame = other.kind === type.kind && other.name === object.metadata.name && groupOf(other) === type.group;
  return isSame ? undefined : `${other.kind} ${other.name}`;
}

function otherLabel(owner: Owner, { metadata }: KubernetesObject): string | undefined {
  const uid = metadata.labels?.[OWNER_UID];
  const text = metadata.annotations?.[OWNER];
  return uid && uid !== owner.object.metadata.uid && text !== ownerText(owner) ? (text ?? uid) : undefined;
}

/** The objects of a kind that control or labelled the child; with `isEvery`, all of its owners of the kind. */
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
  const [kind, namespace, name] = labels?.[OWNER_UID] ? (annotations?.[OWNER]?.split('/') ?? []) : [];
  if (kind === `${type.kind}.${type.group}` && name) yield { ...(namespace && { namespace }), name };
}

/** By whom `prune` finds a child. */
export function ownerUidsOf(child: KubernetesObject): readonly string[] {
  const uid = controllerOf(child)?.uid ?? child.metadata.labels?.[OWNER_UID];
  return uid ? [uid] : [];
}

function groupOf({ apiVersion }: OwnerReference): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

export function nameOf(type: ResourceType, metadata: { namespace?: string | undefined; name?: string }): string {
  const { namespace, name } = metadata;
  return `${type.kind} ${formatObjectName({ ...(namespace && { namespace }), ...(name !== undefined && { name }) })}`;
}
