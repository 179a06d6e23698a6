export type { AuditEvent, AuditObject, AuditUser } from './audit-event.ts';
export type { AuditLevel, AuditPolicy, AuditResources, AuditRule, AuditStageName } from './audit-policy.ts';
export { DEFAULT_AUDIT_POLICY } from './audit-policy.ts';
export type { AuditSink, ClosableSink, FileSinkOptions } from './audit-sink.ts';
export { FileSink, teeSink } from './audit-sink.ts';
export type { AuditOptions } from './audit-stage.ts';
export { readAuditPolicy } from './read-policy.ts';
export type { SendEvents, WebhookSinkOptions } from './webhook-sink.ts';
export { WebhookSink } from './webhook-sink.ts';
