import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/v1.ts';

export interface FieldSelectorAttributes {
  rawSelector?: string;
  requirements?: FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  rawSelector?: string;
  requirements?: LabelSelectorRequirement[];
}

export interface LocalSubjectAccessReview extends KubernetesObject {
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}
export const LocalSubjectAccessReview: ResourceType<LocalSubjectAccessReview, 'Namespaced'> = /* @__PURE__ */ resourceType<LocalSubjectAccessReview, 'Namespaced'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews', scope: 'Namespaced' });

export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

export interface NonResourceRule {
  nonResourceURLs?: string[];
  verbs: string[];
}

export interface ResourceAttributes {
  fieldSelector?: FieldSelectorAttributes;
  group?: string;
  labelSelector?: LabelSelectorAttributes;
  name?: string;
  namespace?: string;
  resource?: string;
  subresource?: string;
  verb?: string;
  version?: string;
}

export interface ResourceRule {
  apiGroups?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
}

export interface SelfSubjectAccessReview extends KubernetesObject {
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}
export const SelfSubjectAccessReview: ResourceType<SelfSubjectAccessReview, 'Cluster'> = /* @__PURE__ */ resourceType<SelfSubjectAccessReview, 'Cluster'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', scope: 'Cluster' });

export interface SelfSubjectAccessReviewSpec {
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
}

export interface SelfSubjectRulesReview extends KubernetesObject {
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
}
export const SelfSubjectRulesReview: ResourceType<SelfSubjectRulesReview, 'Cluster'> = /* @__PURE__ */ resourceType<SelfSubjectRulesReview, 'Cluster'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', scope: 'Cluster' });

export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

export interface SubjectAccessReview extends KubernetesObject {
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}
export const SubjectAccessReview: ResourceType<SubjectAccessReview, 'Cluster'> = /* @__PURE__ */ resourceType<SubjectAccessReview, 'Cluster'>({ group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', scope: 'Cluster' });

export interface SubjectAccessReviewSpec {
  extra?: Record<string, string[]>;
  groups?: string[];
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
  uid?: string;
  user?: string;
}

export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  evaluationError?: string;
  reason?: string;
}

export interface SubjectRulesReviewStatus {
  evaluationError?: string;
  incomplete: boolean;
  nonResourceRules: NonResourceRule[];
  resourceRules: ResourceRule[];
}
