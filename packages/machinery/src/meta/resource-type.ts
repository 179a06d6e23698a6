import type { GroupVersionKind, GroupVersionResource } from './group-version.ts';
import { formatGroupVersion } from './group-version.ts';
import type { KubernetesObject } from './object-meta.ts';

export type Scope = 'Namespaced' | 'Cluster';

/**
 * A kind as a value: its group, version and names in the API and, in its type parameters, the type and the scope of its
 * objects. By convention a descriptor and the interface of its objects share one name, so `Pod` is both the type and
 * the value:
 *
 *     export interface Pod extends KubernetesObject { spec: PodSpec }
 *     export const Pod = resourceType<Pod, 'Namespaced'>({
 *       group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced',
 *     });
 *
 * `ResourceType` alone is any kind, of a scope that is known at run time.
 */
export interface ResourceType<T extends KubernetesObject = KubernetesObject, S extends Scope = Scope>
  extends GroupVersionKind {
  /** `v1`, `apps/v1` */
  readonly apiVersion: string;
  /** The name in URLs: `deployments`. */
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly scope: S;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Exists for the compiler only: `typeof Pod.Type`. Reading it at run time gives `undefined`. */
  readonly Type: T;
}

/** The facts that a descriptor is made from; the others have defaults. */
export interface ResourceTypeOptions<S extends Scope = Scope> extends GroupVersionKind {
  readonly plural: string;
  readonly scope: S;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export function resourceType<T extends KubernetesObject, S extends Scope = Scope>(
  options: ResourceTypeOptions<S>,
): ResourceType<T, S> {
  const descriptor: Omit<ResourceType<T, S>, 'Type'> = {
    group: options.group,
    version: options.version,
    kind: options.kind,
    apiVersion: formatGroupVersion(options),
    plural: options.plural,
    singular: options.singular ?? options.kind.toLowerCase(),
    listKind: options.listKind ?? `${options.kind}List`,
    scope: options.scope,
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
  };
  // `Type` is a phantom: it carries T to the compiler and has no value.
  return Object.freeze(descriptor) as ResourceType<T, S>;
}

export function gvrOf(type: ResourceType): GroupVersionResource {
  return { group: type.group, version: type.version, resource: type.plural };
}
