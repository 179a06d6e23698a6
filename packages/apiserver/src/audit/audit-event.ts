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
  readonly impersonatedUser?: AuditUser;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObject;
  readonly responseStatus?: Partial<Status>;
  readonly requestObject?: JsonValue;
  readonly responseObject?: JsonValue;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AuditObject {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** Takes events. Writing never waits and never fails: a sink that cannot keep up drops and counts. */
export interface AuditSink {
  write(event: AuditEvent): void;
}
