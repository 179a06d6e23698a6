export type {
  GroupKind,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
} from './meta/group-version.ts';
export {
  compareVersions,
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  gvkOf,
  parseGroupVersion,
} from './meta/group-version.ts';
export type {
  KubernetesList,
  KubernetesObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  TypeMeta,
} from './meta/object-meta.ts';
export { asKubernetesObject, formatObjectName, toKubernetesObject } from './meta/object-meta.ts';
export type { ResourceType, ResourceTypeOptions, Scope } from './meta/resource-type.ts';
export { gvrOf, resourceType } from './meta/resource-type.ts';
export { Scheme } from './meta/scheme.ts';
export type { Cached, DeepReadonly, ReadArray, Stored, StoredMeta, UnsharedArray } from './meta/stored.ts';
