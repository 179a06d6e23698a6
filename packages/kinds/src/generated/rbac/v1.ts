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
export const ClusterRole: ResourceType<ClusterRole, 'Cluster'> = /* @__PURE__ */ resourceType<ClusterRole, 'Cluster'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', plural: 'clusterroles', scope: 'Cluster' });

export interface ClusterRoleBinding extends KubernetesObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}
export const ClusterRoleBinding: ResourceType<ClusterRoleBinding, 'Cluster'> = /* @__PURE__ */ resourceType<ClusterRoleBinding, 'Cluster'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', scope: 'Cluster' });

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
export const Role: ResourceType<Role, 'Namespaced'> = /* @__PURE__ */ resourceType<Role, 'Namespaced'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role', plural: 'roles', scope: 'Namespaced' });

export interface RoleBinding extends KubernetesObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}
export const RoleBinding: ResourceType<RoleBinding, 'Namespaced'> = /* @__PURE__ */ resourceType<RoleBinding, 'Namespaced'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings', scope: 'Namespaced' });

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
