import type { JsonPatchOperation } from '@pintle/client';
import type { GroupVersionKind, GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import type { Status } from '@pintle/machinery/errors';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What the server asks, as `admission.k8s.io` has it. */
export interface AdmissionRequest<T extends KubernetesObject = KubernetesObject> {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** How the client called it, where that is not how the webhook wants it. */
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** As it would be stored; none for DELETE. */
  readonly object?: T | null;
  /** As it is stored; none for CREATE. */
  readonly oldObject?: T | null;
  readonly dryRun?: boolean;
  readonly options?: object | null;
}

/** What a webhook answers. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Why not. */
  readonly status?: Partial<Status>;
  /** How the object changes; of mutating webhooks only. */
  readonly patch?: readonly JsonPatchOperation[];
}

/** What handlers get beside objects. */
export interface AdmissionScope {
  readonly request: AdmissionRequest;
  /** Nothing will be stored: do nothing outside that could not be undone. */
  readonly isDryRun: boolean;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** Tells the client, whether or not the request is allowed: kubectl prints it. */
  warn(message: string): void;
  /** Adds to the audit event of the request. */
  audit(key: string, value: string): void;
}

export type AdmissionHandler = (
  request: AdmissionRequest,
  scope: AdmissionScope,
) => AdmissionAnswer | Promise<AdmissionAnswer>;

export const ALLOWED: AdmissionAnswer = { allowed: true };
