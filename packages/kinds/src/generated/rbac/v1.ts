import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { LabelSelector } from '../meta/v1.ts';

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

export interface ClusterRole extends KubernetesObject {
  aggregationRule?: AggregationRule;
  rules?: PolicyRule[];
}
export const ClusterRole: ResourceType<ClusterRole> = /* @__PURE__ */ resourceType<ClusterRole>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', plural: 'clusterroles', scope: 'Cluster' });

export interface ClusterRoleBinding extends KubernetesObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}
export const ClusterRoleBinding: ResourceType<ClusterRoleBinding> = /* @__PURE__ */ resourceType<ClusterRoleBinding>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', scope: 'Cluster' });

export type ClusterRoleBindingList = KubernetesList<ClusterRoleBinding>;

export type ClusterRoleList = KubernetesList<ClusterRole>;

export interface PolicyRule {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
}

export interface Role extends KubernetesObject {
  rules?: PolicyRule[];
}
export const Role: ResourceType<Role> = /* @__PURE__ */ resourceType<Role>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role', plural: 'roles', scope: 'Namespaced' });

export interface RoleBinding extends KubernetesObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}
export const RoleBinding: ResourceType<RoleBinding> = /* @__PURE__ */ resourceType<RoleBinding>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings', scope: 'Namespaced' });

export type RoleBindingList = KubernetesList<RoleBinding>;

export type RoleList = KubernetesList<Role>;

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}
