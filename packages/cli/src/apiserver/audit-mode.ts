import type { AuditPolicy } from '@pintle/apiserver';
import { DEFAULT_AUDIT_POLICY } from '@pintle/apiserver';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
/**
 * When an event is written: a moment after the answer, together with others; before the answer; or before the request is
 * carried out as well, which is refused when that fails.
 */
type AuditMode = (typeof AUDIT_MODES)[number];

/** Reads --audit-log-mode. Default: `blocking`, as in kube-apiserver. */
export function auditModeOf({ values }: ParsedFlags, unlessSaid: AuditMode = 'blocking'): AuditMode {
  const text = values['audit-log-mode'];
  const mode = text === undefined ? unlessSaid : AUDIT_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new UsageError(`Cannot use --audit-log-mode=${text}: it is not one of ${AUDIT_MODES.join(', ')}`);
}

/** Before a request is carried out, its event must be in the log, or it is refused. */
export const STRICT_AUDIT_POLICY: AuditPolicy = { ...DEFAULT_AUDIT_POLICY, omitStages: [] };
