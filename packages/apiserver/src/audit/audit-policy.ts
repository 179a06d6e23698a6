import type { RequestInfo, ResourceRequest } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';

export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** Amount of detail: nothing, metadata, also the request's body, or also the response's. */
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStageName = (typeof AUDIT_STAGES)[number];

/** A rule applies to requests that match all of its parts; absent parts match everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditResources[];
  /** Namespaces; the empty string matches requests without a namespace. */
  readonly namespaces?: readonly string[];
  /** Paths, or prefixes that end in `*`. */
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStageName[];
  readonly omitManagedFields?: boolean;
}

export interface AuditResources {
  readonly group?: string;
  /** `pods`, `pods/log`, `pods/*`, any resource’s `status` or `*`; none: all of the group. */
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly AuditStageName[];
  readonly omitManagedFields?: boolean;
}

/** Decision of a policy about one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStageName>;
  readonly omitManagedFields: boolean;
}

/** Records the metadata of every request once, except for anonymous requests for health and version. */
export const DEFAULT_AUDIT_POLICY: AuditPolicy = {
  rules: [
    {
      level: 'None',
      users: [ANONYMOUS.username],
      nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', '/version', '/version/'],
    },
    { level: 'Metadata' },
  ],
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
};

const NOTHING: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false };

/** Applies the first rule that matches. Without one, nothing is recorded. */
export function decideAudit(policy: AuditPolicy, user: UserInfo, info: RequestInfo): AuditDecision {
  const rule = policy.rules.find((candidate) => matches(candidate, user, info));
  if (rule === undefined) return NOTHING;
  return {
    level: withoutSecrets(rule.level, info),
    omitStages: omittedStages(policy, rule),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

const NO_STAGES: readonly AuditStageName[] = [];
const omitted = new WeakMap<
  AuditRule,
  { readonly policy: AuditPolicy; readonly stages: ReadonlySet<AuditStageName> }
>();

/** Returns the same set for every request of a rule. */
function omittedStages(policy: AuditPolicy, rule: AuditRule): ReadonlySet<AuditStageName> {
  const known = omitted.get(rule);
  if (known?.policy === policy) return known.stages;
  const stages = new Set([...(policy.omitStages ?? NO_STAGES), ...(rule.omitStages ?? NO_STAGES)]);
  omitted.set(rule, { policy, stages });
  return stages;
}

/** Resources whose bodies have credentials: no policy records them. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  '/secrets',
  '/configmaps',
  '/serviceaccounts/token',
  'authentication.k8s.io/tokenreviews',
]);

function withoutSecrets(level: AuditLevel, info: RequestInfo): AuditLevel {
  if (info.kind === 'path' || level === 'None') return level;
  const resource = `${info.group}/${info.resource}`;
  const isSecret = CREDENTIALS.has(resource) || CREDENTIALS.has(`${resource}/${info.subresource}`);
  return isSecret ? 'Metadata' : level;
}

function matches(rule: AuditRule, user: UserInfo, info: RequestInfo): boolean {
  if (isGiven(rule.users) && !rule.users.includes(user.username)) return false;
  if (isGiven(rule.userGroups) && !rule.userGroups.some((group) => user.groups.includes(group))) return false;
  if (isGiven(rule.verbs) && !rule.verbs.includes(info.verb)) return false;
  if (!isGiven(rule.namespaces) && !isGiven(rule.resources) && !isGiven(rule.nonResourceURLs)) return true;
  return info.kind === 'path' ? matchesPath(rule, info.path) : matchesResource(rule, info);
}

function isGiven<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

function matchesPath({ nonResourceURLs }: AuditRule, path: string): boolean {
  return (nonResourceURLs ?? []).some((pattern) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}

function matchesResource(rule: AuditRule, info: ResourceRequest): boolean {
  if (isGiven(rule.nonResourceURLs) && !isGiven(rule.resources) && !isGiven(rule.namespaces)) return false;
  if (isGiven(rule.namespaces) && !rule.namespaces.includes(info.namespace)) return false;
  return !isGiven(rule.resources) || rule.resources.some((resources) => isAmong(resources, info));
}

function isAmong({ group = '', resources, resourceNames }: AuditResources, info: ResourceRequest): boolean {
  if (group !== info.group) return false;
  if (isGiven(resourceNames) && !resourceNames.includes(info.name)) return false;
  if (!isGiven(resources)) return true;
  const { resource, subresource } = info;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === combined ||
      (subresource !== '' && (pattern === `*/${subresource}` || pattern === `${resource}/*`)),
  );
}
