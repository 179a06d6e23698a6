export type { AuditEvent, AuditObject, AuditSink, AuditUser } from './audit-event.ts';
export type { AuditLevel, AuditPolicy, AuditResources, AuditRule, AuditStageName } from './audit-policy.ts';
export { DEFAULT_AUDIT_POLICY } from './audit-policy.ts';
export type { AuditOptions } from './audit-stage.ts';
export type { FileSinkOptions } from './file-sink.ts';
export { FileSink } from './file-sink.ts';
export { readAuditPolicy } from './read-policy.ts';
