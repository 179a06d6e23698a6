/** The state of a definition's approval by the Kubernetes community. */
export type ApprovalState = 'missing' | 'invalid' | 'bypassed' | 'approved';

export interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

export const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io';
const NEEDED = `protected groups must have approval annotation "${APPROVAL_ANNOTATION}"`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** True for groups of the Kubernetes community, whose APIs must be approved, or marked as unapproved. */
export function isProtectedGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const approval = annotations?.[APPROVAL_ANNOTATION] ?? '';
  if (approval === '') return { state: 'missing', reason: `${NEEDED}, ${SEE}` };
  if (approval.startsWith('unapproved')) {
    return { state: 'bypassed', reason: `not approved: ${JSON.stringify(approval)}` };
  }
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]/.test(approval)) {
    return { state: 'approved', reason: `approved in ${approval}` };
  }
  return { state: 'invalid', reason: `${NEEDED} with either a URL or a reason starting with "unapproved", ${SEE}` };
}
