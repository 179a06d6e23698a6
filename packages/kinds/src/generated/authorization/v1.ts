import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/v1.ts';

/** The fields to which a request is limited. Exactly one of the two forms is given. */
export interface FieldSelectorAttributes {
  /** The selector as in the request's query. The server does not read it, other authorizers may. */
  rawSelector?: string;
  /** The single requirements, all of which apply. */
  requirements?: FieldSelectorRequirement[];
}

/** The labels to which a request is limited. Exactly one of the two forms is given. */
export interface LabelSelectorAttributes {
  /** The selector as in the request's query. The server does not read it, other authorizers may. */
  rawSelector?: string;
  /** The single requirements, all of which apply. */
  requirements?: LabelSelectorRequirement[];
}

/** Asks whether a user may do something in one namespace. It is answered at once and not stored. */
export interface LocalSubjectAccessReview extends KubernetesObject {
  /** The user and the action in question. The namespace must be that of the review. */
  spec: SubjectAccessReviewSpec;
  /** The answer of the server. */
  status?: SubjectAccessReviewStatus;
}
export const LocalSubjectAccessReview: ResourceType<LocalSubjectAccessReview, 'Namespaced'> = /* @__PURE__ */ resourceType<LocalSubjectAccessReview, 'Namespaced'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews', scope: 'Namespaced' });

/** An action on a path that is not a resource. */
export interface NonResourceAttributes {
  /** The path of the request, such as `/healthz`. */
  path?: string;
  /** The verb of the request, such as `get`. */
  verb?: string;
}

/** Actions that are allowed on some paths that are not resources. */
export interface NonResourceRule {
  /** The paths. `*` as the last part means everything below. */
  nonResourceURLs?: string[];
  /** The verbs that are allowed. `*` is all verbs. */
  verbs: string[];
}

/** An action on a resource. */
export interface ResourceAttributes {
  /** The fields to which a list, watch or deletion is limited. */
  fieldSelector?: FieldSelectorAttributes;
  /** The API group of the resource. `*` is all groups. */
  group?: string;
  /** The labels to which a list, watch or deletion is limited. */
  labelSelector?: LabelSelectorAttributes;
  /** The name of the object. An empty text means all objects. */
  name?: string;
  /** The namespace of the objects. An empty text means none for resources of cluster scope, else all namespaces. */
  namespace?: string;
  /** The resource, such as `pods`. `*` is all resources. */
  resource?: string;
  /** The subresource, such as `log`. An empty text means none. */
  subresource?: string;
  /** The verb, such as `get` or `list`. `*` is all verbs. */
  verb?: string;
  /** The API version of the resource. `*` is all versions. */
  version?: string;
}

/** Actions that are allowed on some resources. */
export interface ResourceRule {
  /** The API groups of the resources. `*` is all groups. */
  apiGroups?: string[];
  /** The names of the objects that are allowed. Without any, all objects are. */
  resourceNames?: string[];
  /** The resources. `*` is all resources, and `*\/scale` the subresource `scale` of all of them. */
  resources?: string[];
  /** The verbs that are allowed. `*` is all verbs. */
  verbs: string[];
}

/** Asks whether the client itself may do something. It is answered at once and not stored. */
export interface SelfSubjectAccessReview extends KubernetesObject {
  /** The action in question. */
  spec: SelfSubjectAccessReviewSpec;
  /** The answer of the server. */
  status?: SubjectAccessReviewStatus;
}
export const SelfSubjectAccessReview: ResourceType<SelfSubjectAccessReview, 'Cluster'> = /* @__PURE__ */ resourceType<SelfSubjectAccessReview, 'Cluster'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', scope: 'Cluster' });

/** The action in question. Exactly one of the fields is given. */
export interface SelfSubjectAccessReviewSpec {
  /** An action on a path that is not a resource. */
  nonResourceAttributes?: NonResourceAttributes;
  /** An action on a resource. */
  resourceAttributes?: ResourceAttributes;
}

/** Asks what the client itself may do in a namespace. The answer is for display and not for decisions about access. */
export interface SelfSubjectRulesReview extends KubernetesObject {
  /** The namespace in question. */
  spec: SelfSubjectRulesReviewSpec;
  /** The answer of the server. */
  status?: SubjectRulesReviewStatus;
}
export const SelfSubjectRulesReview: ResourceType<SelfSubjectRulesReview, 'Cluster'> = /* @__PURE__ */ resourceType<SelfSubjectRulesReview, 'Cluster'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', scope: 'Cluster' });

/** The namespace in question. */
export interface SelfSubjectRulesReviewSpec {
  /** The name of the namespace. It is required. */
  namespace?: string;
}

/** Asks whether a user may do something. It is answered at once and not stored. */
export interface SubjectAccessReview extends KubernetesObject {
  /** The user and the action in question. */
  spec: SubjectAccessReviewSpec;
  /** The answer of the server. */
  status?: SubjectAccessReviewStatus;
}
export const SubjectAccessReview: ResourceType<SubjectAccessReview, 'Cluster'> = /* @__PURE__ */ resourceType<SubjectAccessReview, 'Cluster'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', scope: 'Cluster' });

/** The user and the action in question. Exactly one of `resourceAttributes` and `nonResourceAttributes` is given. */
export interface SubjectAccessReviewSpec {
  /** More about the user, as the authenticator gives it. */
  extra?: Record<string, string[]>;
  /** The groups that the user belongs to. At least `user` or one group is required. */
  groups?: string[];
  /** An action on a path that is not a resource. */
  nonResourceAttributes?: NonResourceAttributes;
  /** An action on a resource. */
  resourceAttributes?: ResourceAttributes;
  /** The ID of the user. */
  uid?: string;
  /** The name of the user. */
  user?: string;
}

/** Whether an action is allowed. */
export interface SubjectAccessReviewStatus {
  /** Whether the action is allowed. */
  allowed: boolean;
  /** Whether the action is refused for certain, so that no other authorizer can allow it. It excludes `allowed`. */
  denied?: boolean;
  /** Says what went wrong while the question was decided. The answer may still be right. */
  evaluationError?: string;
  /** Why the action is allowed or refused. */
  reason?: string;
}

/** Says what a client may do in a namespace. */
export interface SubjectRulesReviewStatus {
  /** Says what went wrong while the rules were collected. Those that were found still hold. */
  evaluationError?: string;
  /** Whether rules may be missing, because an authorizer cannot list them, for example. */
  incomplete: boolean;
  /** Actions that are allowed on paths that are not resources, in no particular order. */
  nonResourceRules: NonResourceRule[];
  /** Actions that are allowed on resources, in no particular order. */
  resourceRules: ResourceRule[];
}
