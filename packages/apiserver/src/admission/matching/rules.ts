import type { GroupVersionResource } from '@pintle/machinery';
import type { AdmissionOperation } from '../../resource/admission-request.ts';

/** Rule of a webhook or policy that selects requests. */
export interface AdmissionRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** `pods`, `pods/status`, `pods/*` or `*`; a star may stand on either side of the slash. */
  readonly resources?: readonly string[];
  readonly scope?: string;
}

/** Fields of a request that rules match: the same for all requests of a verb for a resource. */
export interface RuleSubject extends GroupVersionResource {
  readonly operation: AdmissionOperation;
  readonly subresource: string;
  readonly isNamespaced: boolean;
}

export function ruleMatches(rule: AdmissionRule, subject: RuleSubject): boolean {
  return (
    scopeMatches(rule.scope, subject.isNamespaced) &&
    names(rule.operations, subject.operation) &&
    names(rule.apiGroups, subject.group) &&
    names(rule.apiVersions, subject.version) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, subject))
  );
}

function scopeMatches(scope: string | undefined, isNamespaced: boolean): boolean {
  if (scope === 'Namespaced') return isNamespaced;
  return scope === 'Cluster' ? !isNamespaced : true;
}

function names(wanted: readonly string[] = [], found: string): boolean {
  return wanted.includes('*') || wanted.includes(found);
}

/** `pods/*` matches pods and their subresources; `*` matches every resource but no subresource. */
function resourceMatches(text: string, { resource, subresource }: RuleSubject): boolean {
  const slash = text.indexOf('/');
  const main = slash === -1 ? text : text.slice(0, slash);
  const below = slash === -1 ? '' : text.slice(slash + 1);
  return (main === '*' || main === resource) && (below === '*' || below === subresource);
}

const OF_ADMISSION = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]);

/**
 * True for the configurations of webhooks and policies: these are exempt from admission, so that a bad one can be
 * removed again.
 */
export function isExempt({ group, resource }: { readonly group: string; readonly resource: string }): boolean {
  return group === 'admissionregistration.k8s.io' && OF_ADMISSION.has(resource);
}
