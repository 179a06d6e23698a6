import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { LabelSelector } from '../meta/v1.ts';

/** Which ClusterRoles make up another one. */
export interface AggregationRule {
  /** Selectors of ClusterRoles by labels. One that any of them selects is included. */
  clusterRoleSelectors?: LabelSelector[];
}

/** Permissions within the whole cluster, or within a namespace if a RoleBinding grants them. */
export interface ClusterRole extends KubernetesObject {
  /**
   * Selects ClusterRoles whose rules make up this one. The controller then writes `rules`, and other changes of them
   * are lost.
   */
  aggregationRule?: AggregationRule;
  /** The permissions. They add up, and there are no prohibitions. */
  rules?: PolicyRule[];
}
export const ClusterRole: ResourceType<ClusterRole, 'Cluster'> = /* @__PURE__ */ resourceType<ClusterRole, 'Cluster'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', plural: 'clusterroles', scope: 'Cluster' });

/** Grants the permissions of a ClusterRole in the whole cluster. */
export interface ClusterRoleBinding extends KubernetesObject {
  /** The ClusterRole that is granted. It cannot change after creation. */
  roleRef: RoleRef;
  /** The users, groups and service accounts that get the permissions. */
  subjects?: Subject[];
}
export const ClusterRoleBinding: ResourceType<ClusterRoleBinding, 'Cluster'> = /* @__PURE__ */ resourceType<ClusterRoleBinding, 'Cluster'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', scope: 'Cluster' });

/** A list of ClusterRoleBindings. */
export type ClusterRoleBindingList = KubernetesList<ClusterRoleBinding>;

/** A list of ClusterRoles. */
export type ClusterRoleList = KubernetesList<ClusterRole>;

/** A permission for some verbs on some resources, or on some URLs that are not resources. */
export interface PolicyRule {
  /** The API groups of the resources. An empty text is the core group, and `*` is all groups. */
  apiGroups?: string[];
  /**
   * Paths such as `/healthz` that are allowed, with `*` as the last part for everything below. They count in
   * ClusterRoles that a ClusterRoleBinding grants, and exclude resources.
   */
  nonResourceURLs?: string[];
  /**
   * The names of the objects that are allowed; without any, all objects are. It does not fit verbs that name no
   * object, such as `create`.
   */
  resourceNames?: string[];
  /** The resources, such as `pods` or the subresource `pods/log`. `*` is all resources. */
  resources?: string[];
  /** The verbs that are allowed, such as `get`, `list`, `watch` and `create`. `*` is all verbs. */
  verbs: string[];
}

/** Permissions within one namespace. A RoleBinding grants them. */
export interface Role extends KubernetesObject {
  /** The permissions. They add up, and there are no prohibitions. */
  rules?: PolicyRule[];
}
export const Role: ResourceType<Role, 'Namespaced'> = /* @__PURE__ */ resourceType<Role, 'Namespaced'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role', plural: 'roles', scope: 'Namespaced' });

/** Grants the permissions of a Role or ClusterRole within one namespace. */
export interface RoleBinding extends KubernetesObject {
  /** The Role in the same namespace, or the ClusterRole, that is granted. It cannot change after creation. */
  roleRef: RoleRef;
  /** The users, groups and service accounts that get the permissions. */
  subjects?: Subject[];
}
export const RoleBinding: ResourceType<RoleBinding, 'Namespaced'> = /* @__PURE__ */ resourceType<RoleBinding, 'Namespaced'>({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding', plural: 'rolebindings', scope: 'Namespaced' });

/** A list of RoleBindings. */
export type RoleBindingList = KubernetesList<RoleBinding>;

/** A list of Roles. */
export type RoleList = KubernetesList<Role>;

/** The role that a binding grants. */
export interface RoleRef {
  /**
   * The API group of the role, the only one that is allowed.
   * @default "rbac.authorization.k8s.io"
   */
  apiGroup?: string;
  /** The kind of the role, either `Role` or `ClusterRole`. */
  kind: string;
  /** The name of the role. */
  name: string;
}

/** A user, a group or a service account. */
export interface Subject {
  /**
   * The API group of the subject. The server sets `rbac.authorization.k8s.io` for users and groups; for service
   * accounts it is empty.
   */
  apiGroup?: string;
  /** The kind of the subject, one of `User`, `Group` and `ServiceAccount`. */
  kind: string;
  /** The name of the subject. */
  name: string;
  /**
   * The namespace of a service account, for which a RoleBinding takes its own if it is absent and which a
   * ClusterRoleBinding requires. Users and groups have none.
   */
  namespace?: string;
}
