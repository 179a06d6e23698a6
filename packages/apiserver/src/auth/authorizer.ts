import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from './user-info.ts';

export type Decision =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

/** Says whether a user may do what a request asks. */
export interface Authorizer {
  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision>;
  /** What a user may do in a namespace, for those who ask. Absent when the authorizer cannot tell. */
  rulesOf?(user: UserInfo, namespace: string): UserRules | Promise<UserRules>;
}

export interface UserRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs?: readonly string[];
  }[];
  /** There may be more than is said here. */
  readonly incomplete: boolean;
}

/** Paths that anybody may read: they tell no more than that the server is there and which version it is. */
const PUBLIC_PATHS = [/^\/(healthz|livez|readyz)(\/|$)/, /^\/version\/?$/];

/** Denies everything, save to the group that may do all and for paths that say nothing. */
export class MastersAuthorizer implements Authorizer {
  authorize(user: UserInfo, info: RequestInfo): Decision {
    if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
    if (info.kind === 'path' && info.verb === 'get' && PUBLIC_PATHS.some((pattern) => pattern.test(info.path))) {
      return { allowed: true, reason: 'the path is public' };
    }
    return { allowed: false, reason: '' };
  }

  rulesOf(user: UserInfo): UserRules {
    const isMaster = user.groups.includes('system:masters');
    return {
      resourceRules: isMaster ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
      nonResourceRules: isMaster
        ? [{ verbs: ['*'], nonResourceURLs: ['*'] }]
        : [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version'] }],
      incomplete: false,
    };
  }
}

/** `User "jane" cannot list resource "pods" in API group "" in the namespace "default"` */
export function describeDenial(user: UserInfo, info: RequestInfo): string {
  const who = `User ${JSON.stringify(user.username)}`;
  if (info.kind === 'path') return `${who} cannot ${info.verb} path ${JSON.stringify(info.path)}`;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  return `${who} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${where}`;
}
