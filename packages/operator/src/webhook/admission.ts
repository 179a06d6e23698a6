import type { JsonPatchOperation } from '@pintle/client';
import type { GroupVersionKind, GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import type { Status } from '@pintle/machinery/errors';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** AdmissionRequest of `admission.k8s.io`. */
export interface AdmissionRequest<T extends KubernetesObject = KubernetesObject> {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** Kind of the original request, when the object was converted for the webhook. */
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
  /** Object as it would be stored; absent for DELETE. */
  readonly object?: T | null;
  /** Object as it is stored; absent for CREATE. */
  readonly oldObject?: T | null;
  readonly dryRun?: boolean;
  readonly options?: object | null;
}

/** Response of an admission webhook. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Reason of a refusal. */
  readonly status?: Partial<Status>;
  /** Changes of the object, for mutating webhooks only. */
  readonly patch?: readonly JsonPatchOperation[];
}

/** Context of admission handlers. */
export interface AdmissionScope {
  readonly request: AdmissionRequest;
  /** True when nothing will be stored: the handler must not have side effects. */
  readonly isDryRun: boolean;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** Adds a warning for the client, also when the request is refused; kubectl prints it. */
  warn(message: string): void;
  /** Adds an annotation to the audit event of the request. */
  audit(key: string, value: string): void;
}

export type AdmissionHandler = (
  request: AdmissionRequest,
  scope: AdmissionScope,
) => AdmissionResponse | Promise<AdmissionResponse>;

export const ALLOWED: AdmissionResponse = { allowed: true };
