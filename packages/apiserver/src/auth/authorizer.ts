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
  /** What could not be found out. */
  readonly evaluationError?: string;
}

/** `system:masters` may do everything; everybody else what any of the authorizers allows. */
export class AuthorizerChain implements Authorizer {
  readonly #links: readonly Authorizer[];

  constructor(links: readonly Authorizer[]) {
    this.#links = links;
  }

  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision> {
    if (isMaster(user)) return ALLOWED;
    // Nearly always there is one, and it answers at once.
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

/** Whoever is in this group is asked nothing more. */
export function isMaster({ groups }: UserInfo): boolean {
  return groups.includes('system:masters');
}

const ALLOWED: Decision = { allowed: true, reason: '' };
const UNKNOWN_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: true };

/** For servers that nobody else can reach. */
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
  const who = `User ${quote(user.username)}`;
  if (info.kind === 'path') return escapeMarkup(`${who} cannot ${info.verb} path ${quote(info.path)}`);
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(info.namespace)}`;
  return escapeMarkup(
    `${who} cannot ${info.verb} resource ${quote(resource)} in API group ${quote(info.group)} ${where}`,
  );
}

/** The 403 for a decision. */
export function denialError(user: UserInfo, info: RequestInfo, reason: string): StatusError {
  const why = `${describeDenial(user, info)}${reason === '' ? '' : `: ${reason}`}`;
  if (info.kind === 'path') return forbiddenError(undefined, '', why);
  return forbiddenError({ group: info.group, resource: info.resource }, info.authorizedName, why);
}

/** What a client chose comes back in the text, and a browser may be at the other end. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Lets a request pass only when its user may do what it asks. */
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
 * What somebody without credentials may do:
 * - `public`: ask whether the server is there and well, and which version it is, whatever roles say;
 * - `full`: whatever roles give to `system:anonymous` and `system:unauthenticated`;
 * - `none`: nothing, and is asked for credentials.
 */
export type AnonymousAccess = 'public' | 'full' | 'none';

const PUBLIC_PATHS: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz', 'version']);
const DENIED: Decision = { allowed: false, reason: '' };

/** Asks the authorizer about strangers only where the server tells no more than that it is there. */
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
