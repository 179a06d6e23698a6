import type { RequestInfo } from '../request/request-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';
import type { Authorizer, Decision } from './authorizer.ts';

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
