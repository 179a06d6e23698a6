import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

/** An object whose deletion makes a token invalid. */
export interface BoundObjectReference {
  /** The group and version of the object's kind. */
  apiVersion?: string;
  /** The kind of the object, one of `Pod`, `Secret` and `Node`. */
  kind?: string;
  /** The name of the object. */
  name?: string;
  /** The UID of the object. Without it, that of the present one is taken. */
  uid?: string;
}

/** Asks who the client is. It is answered at once and not stored. */
export interface SelfSubjectReview extends KubernetesObject {
  /** The answer of the server. */
  status?: SelfSubjectReviewStatus;
}
export const SelfSubjectReview: ResourceType<SelfSubjectReview, 'Cluster'> = /* @__PURE__ */ resourceType<SelfSubjectReview, 'Cluster'>({ group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', scope: 'Cluster' });

/** Who the client is. */
export interface SelfSubjectReviewStatus {
  /** The user that the client is authenticated as, after impersonation if there is any. */
  userInfo?: UserInfo;
}

/** Asks for a token of a service account. It is created at the account's subresource `token` and not stored. */
export interface TokenRequest extends KubernetesObject {
  /** For whom and for how long the token is to be valid. */
  spec?: TokenRequestSpec;
  /** The token that was issued. */
  status?: TokenRequestStatus;
}

/** For whom and for how long a token is to be valid. */
export interface TokenRequestSpec {
  /**
   * The recipients that the token is meant for, which must refuse tokens meant for others. Without any, the API server
   * is meant.
   */
  audiences?: string[];
  /** An object, such as a pod, whose deletion makes the token invalid. */
  boundObjectRef?: BoundObjectReference;
  /**
   * For how many seconds the token is to be valid, 600 to 4294967296. The issuer may shorten it.
   * @default 3600
   */
  expirationSeconds?: number;
}

/** A token that was issued. */
export interface TokenRequestStatus {
  /** When the token expires. */
  expirationTimestamp?: Time | null;
  /** The token itself. */
  token?: string;
}

/** Asks whether a token is valid and whose it is. It is answered at once and not stored. */
export interface TokenReview extends KubernetesObject {
  /** The token in question. */
  spec: TokenReviewSpec;
  /** The answer of the server. */
  status?: TokenReviewStatus;
}
export const TokenReview: ResourceType<TokenReview, 'Cluster'> = /* @__PURE__ */ resourceType<TokenReview, 'Cluster'>({ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenReview', plural: 'tokenreviews', scope: 'Cluster' });

/** The token in question. */
export interface TokenReviewSpec {
  /** The recipients of which the token must be meant for at least one. Without any, the API server's own are taken. */
  audiences?: string[];
  /** The token itself. */
  token: string;
}

/** Whether a token is valid, and whose it is. */
export interface TokenReviewStatus {
  /**
   * The recipients, of those in question, that the token is meant for. If it is empty, the token counts for the API
   * server only.
   */
  audiences?: string[];
  /** Whether the token is valid and belongs to a known user. */
  authenticated?: boolean;
  /** Why the token could not be checked. */
  error?: string;
  /** The user that the token belongs to. */
  user?: UserInfo;
}

/** A user as the server knows it from authentication. */
export interface UserInfo {
  /** More about the user, as the authenticator gives it. */
  extra?: Record<string, string[]>;
  /** The groups that the user belongs to. */
  groups?: string[];
  /** An ID that tells the user from later ones of the same name. */
  uid?: string;
  /** The name that tells the user from all others. */
  username?: string;
}
