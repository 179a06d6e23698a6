import type { StatusError } from '@pintle/machinery/errors';
import type { RequestInfo, ResourceRequest } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Authorizer } from './authorizer.ts';
import { denialError } from './authorizer.ts';

/** Something a user may be allowed to do that is not what the request at hand asks for. */
export interface Permission {
  /** Any word: rules are also written for verbs that no request has. */
  readonly verb: string;
  readonly group: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A permission in the form authorizers take. */
export function toRequest({
  verb,
  group,
  version = 'v1',
  resource,
  subresource = '',
  namespace = '',
  name = '',
}: Permission): ResourceRequest {
  const target = { group, version, resource, subresource, namespace, name, authorizedName: name, rest: [] };
  return { kind: 'resource', verb: verb as ResourceRequest['verb'], ...target };
}

export async function isAllowed(authorizer: Authorizer, user: UserInfo, permission: Permission): Promise<boolean> {
  return (await authorizer.authorize(user, toRequest(permission))).allowed;
}

/** The 403 when a user may not do something; `undefined` when they may. */
export async function denialOf(
  authorizer: Authorizer,
  user: UserInfo,
  info: RequestInfo,
): Promise<StatusError | undefined> {
  const { allowed, reason } = await authorizer.authorize(user, info);
  return allowed ? undefined : denialError(user, info, reason);
}
