import { controllerOf, ObjectIndex, ownerReference } from '@pintle/client';
import type { Cached, KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';
import type { LabelSelector } from '@pintle/machinery/selectors';
import type { Manager } from '@pintle/operator';
import { filterInTurns, thenMap } from './filter-in-turns.ts';
import { EVERYTHING, selectorOf } from './selectors.ts';

export { controllerOf };

export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** Returns the reference that makes `owner` the controller of an object. */
export function controllerRef(type: ResourceType, owner: KubernetesObject): OwnerReference {
  return { ...ownerReference(type, owner), controller: true, blockOwnerDeletion: true };
}

export interface Selecting extends KubernetesObject {
  spec?: { selector?: LabelSelector };
}

/** True when the owner would adopt a child with these labels. */
export function selects(owner: Cached<Selecting>, labels: Readonly<Record<string, string>>): boolean {
  return selectorOf(owner.spec?.selector ?? EVERYTHING).matches(labels);
}

/** Returns requests for the owner that controls the child, or else for all that would adopt it. */
export function ownerRequests<O extends KubernetesObject>(
  { informers, clock }: Pick<Manager, 'informers' | 'clock'>,
  type: ResourceType<O>,
  child: KubernetesObject,
  adopts: (owner: Cached<O>, labels: Readonly<Record<string, string>>) => boolean,
): Requests | Promise<Requests> {
  const { namespace = '', labels = {} } = child.metadata;
  const controller = controllerOf(child);
  if (controller !== undefined)
    return controller.kind === type.kind && controller.apiVersion === type.apiVersion
      ? [{ namespace, name: controller.name }]
      : [];
  const owners = informers.find(type)?.cache.list({ namespace }) ?? [];
  return requestsFor(filterInTurns(clock, owners, (owner) => adopts(owner, labels)));
}

type Requests = { readonly namespace: string; readonly name: string }[];

/** Returns requests for objects, at once when the objects are no promise. */
export function requestsFor(objects: KubernetesObject[] | Promise<KubernetesObject[]>): Requests | Promise<Requests> {
  return thenMap(objects, (found) => found.map(({ metadata: { namespace = '', name = '' } }) => ({ namespace, name })));
}

const BY_CONTROLLER = new ObjectIndex((child) => [indexValueOf(child)]);

/** Finds, in the cache, the objects that an owner controls and those without a controller in a namespace. */
export interface ByController<C extends KubernetesObject> {
  controlledBy(owner: KubernetesObject): Promise<C[]>;
  orphans(namespace: string): Promise<C[]>;
}

/** Finds children by index, so children of other owners are not visited. */
export function byController<C extends KubernetesObject>(manager: Manager, type: ResourceType<C>): ByController<C> {
  // Callers only read the cached objects.
  const list = async (value: string): Promise<C[]> =>
    (await manager.client.list(type, { index: BY_CONTROLLER.is(value) })) as unknown as C[];
  return {
    controlledBy: ({ metadata }) => list(metadata.uid ?? ''),
    orphans: (namespace) => list(`orphan/${namespace}`),
  };
}

function indexValueOf(child: KubernetesObject): string {
  return controllerOf(child)?.uid ?? `orphan/${child.metadata.namespace ?? ''}`;
}
