import type { RequestFacts } from './request-facts.ts';

/** A right that a request needs. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `fruits/status`. */
  readonly resource: string;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export function permissionOf({ verb, group, resource, subresource }: RequestFacts): Permission {
  return { verb, group, resource: subresource === '' ? resource : `${resource}/${subresource}` };
}

/** True when a rule grants the permission. Ignores `resourceNames`, because a log does not show which names a role needs. */
export function isGranted({ verb, group, resource }: Permission, rules: readonly PolicyRule[]): boolean {
  const subresource = resource.split('/')[1];
  const resources = ['*', resource, ...(subresource === undefined ? [] : [`*/${subresource}`])];
  return rules.some(
    (rule) =>
      hasAny(rule.verbs, ['*', verb]) &&
      hasAny(rule.apiGroups ?? [], ['*', group]) &&
      hasAny(rule.resources ?? [], resources),
  );
}

function hasAny(listed: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((each) => listed.includes(each));
}
