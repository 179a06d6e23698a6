import type { StatusError } from '@pintle/machinery/errors';
import type { RequestInfo, ResourceRequest } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Authorizer } from './authorizer.ts';
import { denialError } from './authorizer.ts';

/** A permission to check beside that of the current request. */
export interface Permission {
  /** Any verb, also one that no request has. */
  readonly verb: string;
  readonly group: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Returns the permission as a request for authorizers. */
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

/** Returns the 403 when the user may not do this; `undefined` when it may. */
export async function denialOf(
  authorizer: Authorizer,
  user: UserInfo,
  info: RequestInfo,
): Promise<StatusError | undefined> {
  const { allowed, reason } = await authorizer.authorize(user, info);
  return allowed ? undefined : denialError(user, info, reason);
}
