import { after } from '@pintle/async';
import type { StatusError } from '@pintle/machinery/errors';
import { forbiddenError, quote } from '@pintle/machinery/errors';
import type { Stage } from '../request/pipeline.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';

export type Decision =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

/** Decides whether a user may do what a request asks for. */
export interface Authorizer {
  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision>;
  /** Returns the rules of a user in a namespace, for SelfSubjectRulesReview. Absent when the authorizer cannot list them. */
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
  /** True when the lists may lack rules. */
  readonly incomplete: boolean;
  /** Errors while the rules were collected. */
  readonly evaluationError?: string;
}

/** Allows everything to `system:masters`, and to others what any of the authorizers allows. */
export class AuthorizerChain implements Authorizer {
  readonly #links: readonly Authorizer[];

  constructor(links: readonly Authorizer[]) {
    this.#links = links;
  }

  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision> {
    if (isMaster(user)) return ALLOWED;
    // Usually there is one, and it decides synchronously.
    return this.#links.length === 1 ? this.#links[0]!.authorize(user, info) : this.#askEach(user, info);
  }

  async rulesOf(user: UserInfo, namespace: string): Promise<UserRules> {
    const all: UserRules[] = [];
    for (const link of this.#links) all.push((await link.rulesOf?.(user, namespace)) ?? UNKNOWN_RULES);
    const errors = all.flatMap(({ evaluationError }) => evaluationError ?? []);
    return {
      resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: all.some(({ incomplete }) => incomplete),
      ...(errors.length > 0 && { evaluationError: errors.join('\n') }),
    };
  }

  async #askEach(user: UserInfo, info: RequestInfo): Promise<Decision> {
    const reasons: string[] = [];
    for (const link of this.#links) {
      const decision = await link.authorize(user, info);
      if (decision.allowed) return decision;
      if (decision.reason !== '') reasons.push(decision.reason);
    }
    return { allowed: false, reason: reasons.join('\n') };
  }
}

/** True for members of `system:masters`, who may do everything. */
export function isMaster({ groups }: UserInfo): boolean {
  return groups.includes('system:masters');
}

const ALLOWED: Decision = { allowed: true, reason: '' };
const UNKNOWN_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: true };

/** Allows everything. For servers that only their owner can reach. */
export const alwaysAllow: Authorizer = {
  authorize: () => ALLOWED,
  rulesOf: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
};

export const alwaysDeny: Authorizer = {
  authorize: () => ({ allowed: false, reason: 'Everything is forbidden.' }),
  rulesOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};

/** `User "jane" cannot list resource "pods" in API group "" in the namespace "default"` */
export function describeDenial(user: UserInfo, info: RequestInfo): string {
  const subject = `User ${quote(user.username)}`;
  if (info.kind === 'path') return escapeMarkup(`${subject} cannot ${info.verb} path ${quote(info.path)}`);
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(info.namespace)}`;
  return escapeMarkup(
    `${subject} cannot ${info.verb} resource ${quote(resource)} in API group ${quote(info.group)} ${where}`,
  );
}

/** Returns the 403 for a denial. */
export function denialError(user: UserInfo, info: RequestInfo, reason: string): StatusError {
  const why = `${describeDenial(user, info)}${reason === '' ? '' : `: ${reason}`}`;
  if (info.kind === 'path') return forbiddenError(undefined, '', why);
  return forbiddenError({ group: info.group, resource: info.resource }, info.authorizedName, why);
}

/** Escapes texts that the client chose, in case a browser shows them. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Refuses requests that the authorizer does not allow. */
export function authorizeStage(authorizer: Authorizer): Stage {
  return (state, next) => {
    const { user, info, audit } = state;
    return after(authorizer.authorize(user, info), (decision) => {
      audit?.annotate('authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
      audit?.annotate('authorization.k8s.io/reason', decision.reason);
      if (!decision.allowed) throw denialError(user, info, decision.reason);
      return next(state);
    });
  };
}

/**
 * Access without credentials:
 * - `public`: health and version only, whatever roles allow;
 * - `full`: whatever roles allow to `system:anonymous` and `system:unauthenticated`;
 * - `none`: every request is a 401.
 */
export type AnonymousAccess = 'public' | 'full' | 'none';

const PUBLIC_PATHS: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz', 'version']);
const DENIED: Decision = { allowed: false, reason: '' };

/** Denies anonymous users everything but public paths, for which the authorizer decides. */
export function withPublicPathsOnly(authorizer: Authorizer): Authorizer {
  return {
    authorize: (user, info) => (user === ANONYMOUS && !isPublic(info) ? DENIED : authorizer.authorize(user, info)),
    rulesOf: async (user, namespace) => (await authorizer.rulesOf?.(user, namespace)) ?? UNKNOWN,
  };
}

const UNKNOWN = { resourceRules: [], nonResourceRules: [], incomplete: true };

function isPublic(info: RequestInfo): boolean {
  if (info.kind === 'resource') return false;
  return PUBLIC_PATHS.has(info.path.split('/', 2)[1] ?? '');
}
