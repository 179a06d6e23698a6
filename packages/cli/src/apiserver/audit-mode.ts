import type { AuditPolicy } from '@pintle/apiserver';
import { DEFAULT_AUDIT_POLICY } from '@pintle/apiserver';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
/**
 * When an event is written: shortly after the response, with others; before the response; or also before the request
 * runs, which is refused when the write fails.
 */
type AuditMode = (typeof AUDIT_MODES)[number];

/** Reads --audit-log-mode. Default: `blocking`, as in kube-apiserver. */
export function auditModeOf({ values }: ParsedFlags, defaultMode: AuditMode = 'blocking'): AuditMode {
  const text = values['audit-log-mode'];
  const mode = text === undefined ? defaultMode : AUDIT_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new UsageError(`Cannot use --audit-log-mode=${text}: it is not one of ${AUDIT_MODES.join(', ')}`);
}

/** Policy that writes the event of a request before the request runs. */
export const STRICT_AUDIT_POLICY: AuditPolicy = { ...DEFAULT_AUDIT_POLICY, omitStages: [] };
