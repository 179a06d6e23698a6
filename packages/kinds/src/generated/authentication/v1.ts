import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

export interface BoundObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
}

export interface SelfSubjectReview extends KubernetesObject {
  status?: SelfSubjectReviewStatus;
}
export const SelfSubjectReview: ResourceType<SelfSubjectReview, 'Cluster'> = /* @__PURE__ */ resourceType<SelfSubjectReview, 'Cluster'>({ group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', scope: 'Cluster' });

export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

export interface TokenRequest extends KubernetesObject {
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[];
  boundObjectRef?: BoundObjectReference;
  expirationSeconds?: number;
}

export interface TokenRequestStatus {
  expirationTimestamp?: Time | null;
  token?: string;
}

export interface TokenReview extends KubernetesObject {
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}
export const TokenReview: ResourceType<TokenReview, 'Cluster'> = /* @__PURE__ */ resourceType<TokenReview, 'Cluster'>({ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview', plural: 'tokenreviews', scope: 'Cluster' });

export interface TokenReviewSpec {
  audiences?: string[];
  token: string;
}

export interface TokenReviewStatus {
  audiences?: string[];
  authenticated?: boolean;
  error?: string;
  user?: UserInfo;
}

export interface UserInfo {
  extra?: Record<string, string[]>;
  groups?: string[];
  uid?: string;
  username?: string;
}
