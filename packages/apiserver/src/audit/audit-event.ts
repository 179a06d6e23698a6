import type { Status } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import type { AuditLevel, AuditStageName } from './audit-policy.ts';

/** One line of the audit log, of kind Event in `audit.k8s.io/v1`. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStageName;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser | undefined;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string } | undefined;
  readonly sourceIPs?: readonly string[] | undefined;
  readonly userAgent?: string | undefined;
  readonly objectRef?: AuditObject | undefined;
  readonly responseStatus?: Partial<Status> | undefined;
  readonly requestObject?: JsonValue | undefined;
  readonly responseObject?: JsonValue | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AuditObject {
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly apiGroup?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly subresource?: string | undefined;
}
