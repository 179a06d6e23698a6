import type { Cached, KubernetesObject, Scope } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import { parseLabelSelector } from '@pintle/machinery/selectors';

/** Change of an object. */
export type Change<T extends KubernetesObject, S extends Scope = Scope> =
  | { readonly type: 'added'; readonly object: Cached<T, S>; readonly isInitial: boolean }
  | { readonly type: 'updated'; readonly object: Cached<T, S>; readonly previous: Cached<T, S> }
  | { readonly type: 'deleted'; readonly object: Cached<T, S> };

/** Returns true when a change should be reconciled. */
export type Predicate<T extends KubernetesObject = KubernetesObject, S extends Scope = Scope> = (
  change: Change<T, S>,
) => boolean;

/** Passes updates that change the generation: the spec, not the status or metadata. For kinds that have a generation. */
export const generationChanged: Predicate = (change) =>
  change.type !== 'updated' || change.object.metadata.generation !== change.previous.metadata.generation;

export const labelsChanged: Predicate = (change) =>
  change.type !== 'updated' || !deepEqual(change.object.metadata.labels ?? {}, change.previous.metadata.labels ?? {});

export const annotationsChanged: Predicate = (change) =>
  change.type !== 'updated' ||
  !deepEqual(change.object.metadata.annotations ?? {}, change.previous.metadata.annotations ?? {});

export const resourceVersionChanged: Predicate = (change) =>
  change.type !== 'updated' || change.object.metadata.resourceVersion !== change.previous.metadata.resourceVersion;

/** Passes objects whose labels match before or after the change: `app=web,tier!=cache`. */
export function matchesLabels(selector: string): Predicate {
  const parsed = parseLabelSelector(selector);
  return (change) =>
    parsed.matches(change.object.metadata.labels) ||
    (change.type === 'updated' && parsed.matches(change.previous.metadata.labels));
}

export function inNamespaces(...namespaces: readonly string[]): Predicate {
  const wanted = new Set(namespaces);
  return ({ object }) => wanted.has(object.metadata.namespace ?? '');
}

export function and<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

export function or<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}
