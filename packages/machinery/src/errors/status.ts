import type { ListMeta } from '../meta/object-meta.ts';
import { shorten } from './quote.ts';

/** Why the API refused. A reason is more specific than the HTTP code: AlreadyExists and Conflict are both 409. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServerTimeout'
  | 'StorageReadError'
  | 'ServiceUnavailable'
  | 'Timeout';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  /** Dotted path of the field that caused the error. */
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource, such as `pods`; the kind, such as `Pod`, in a response about invalid objects. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  /** Also sent as the Retry-After header. */
  readonly retryAfterSeconds?: number;
}

/** The API's response where there is no object to return; every error is one. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: ListMeta;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  /** One of `StatusReason` when Kubernetes made it; webhooks and aggregated servers may send any text. */
  readonly reason?: string;
  readonly details?: StatusDetails;
  /** The HTTP status code. */
  readonly code?: number;
}

/** Returns details with only the fields that are set, in the order in which Kubernetes writes them. */
export function statusDetails(details: StatusDetails): StatusDetails {
  const { name, group, kind, uid, causes, retryAfterSeconds } = details;
  const kept: { -readonly [K in keyof StatusDetails]: StatusDetails[K] } = {};
  if (name) kept.name = shorten(name);
  if (group) kept.group = group;
  if (kind) kept.kind = kind;
  if (uid) kept.uid = uid;
  if (causes?.length) kept.causes = causes;
  if (retryAfterSeconds) kept.retryAfterSeconds = retryAfterSeconds;
  return kept;
}

/** True when a decoded body is a Status rather than an object of another kind. */
export function isStatus(value: unknown): value is Status {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, apiVersion } = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  return kind === 'Status' && (apiVersion === 'v1' || apiVersion === 'meta.k8s.io/v1');
}
