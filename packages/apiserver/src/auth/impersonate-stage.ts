import { badRequestError, forbiddenError } from '@pintle/machinery/errors';
import { headerOf } from '../http/exchange.ts';
import type { RequestState, Stage } from '../request/pipeline.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import type { Authorizer } from './authorizer.ts';
import { describeDenial } from './authorizer.ts';
import type { UserInfo } from './user-info.ts';

const EXTRA_PREFIX = 'impersonate-extra-';

/** A user with the right to may act as another, named in `Impersonate-*` headers. */
export function impersonateStage(authorizer: Authorizer): Stage {
  return async (state, next) => {
    const wanted = readImpersonation(state);
    if (wanted === undefined) return await next(state);
    for (const target of targetsOf(wanted)) {
      const decision = await authorizer.authorize(state.user, target);
      if (!decision.allowed) {
        const resource = { group: target.group, resource: target.resource };
        throw forbiddenError(resource, target.name, describeDenial(state.user, target));
      }
    }
    const user = withImpliedGroups(wanted);
    if (state.audit !== undefined) state.audit.impersonated = user;
    return await next({ ...state, user });
  };
}

function readImpersonation({ request }: RequestState): UserInfo | undefined {
  const username = headerOf(request, 'impersonate-user');
  const groups = listOf(request.headers['impersonate-group']);
  const uid = headerOf(request, 'impersonate-uid');
  const extra: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(EXTRA_PREFIX) && value !== undefined) {
      extra[decodeKey(name.slice(EXTRA_PREFIX.length))] = listOf(value);
    }
  }
  const hasExtra = Object.keys(extra).length > 0;
  if (username === undefined || username === '') {
    if (groups.length > 0 || uid !== undefined || hasExtra) {
      throw badRequestError('requested impersonation of groups, uid or extra without impersonating a user');
    }
    return undefined;
  }
  return { username, groups, ...(uid !== undefined && { uid }), ...(hasExtra && { extra }) };
}

/** HTTP/1.1 headers sent several times arrive joined by a comma. */
function listOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? value.split(', ') : [...value];
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Everything the impersonator must be allowed to impersonate. */
function targetsOf(user: UserInfo): ResourceRequest[] {
  const account = SERVICE_ACCOUNT.exec(user.username);
  const targets = [
    account ? target('', 'serviceaccounts', account[2]!, account[1]!) : target('', 'users', user.username),
  ];
  for (const group of user.groups) targets.push(target('', 'groups', group));
  if (user.uid !== undefined) targets.push(target('authentication.k8s.io', 'uids', user.uid));
  for (const [key, values] of Object.entries(user.extra ?? {})) {
    for (const value of values)
      targets.push({ ...target('authentication.k8s.io', 'userextras', value), subresource: key });
  }
  return targets;
}

function target(group: string, resource: string, name: string, namespace = ''): ResourceRequest {
  // The verb is not one that requests have; authorizers compare it as text.
  const verb = 'impersonate' as ResourceRequest['verb'];
  return {
    kind: 'resource',
    verb,
    group,
    version: 'v1',
    namespace,
    resource,
    subresource: '',
    name,
    authorizedName: name,
    rest: [],
  };
}

function withImpliedGroups(user: UserInfo): UserInfo {
  const groups = [...user.groups];
  const account = SERVICE_ACCOUNT.exec(user.username);
  if (account !== null && groups.length === 0)
    groups.push('system:serviceaccounts', `system:serviceaccounts:${account[1]}`);
  const isAnonymous = user.username === 'system:anonymous';
  const implied = isAnonymous ? 'system:unauthenticated' : 'system:authenticated';
  if (!groups.includes('system:authenticated') && !groups.includes('system:unauthenticated')) groups.push(implied);
  return { ...user, groups };
}
