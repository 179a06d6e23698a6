import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import { unauthorizedError } from '@pintle/machinery/errors';
import { isUnexpected, statusResponse } from '../http/status.ts';
import type { ApiRequest, ApiResponse, Peer } from '../request/exchange.ts';
import { alterRequest, headerOf } from '../request/exchange.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import { withRequest } from '../request/pipeline.ts';
import type { UserInfo } from '../request/user-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';
import type { AnonymousAccess } from './authorizer.ts';

/**
 * Result of authentication:
 * - a user, with the kind of the credential;
 * - `refused`: the request has a credential of this kind, and it is invalid;
 * - `undefined`: the request has no credential of this kind.
 */
export type Authentication =
  | {
      readonly user: UserInfo;
      readonly source: string;
      readonly credentialId?: string;
      /** Requested audiences that the credential is for. Absent when it is for this server. */
      readonly audiences?: readonly string[];
    }
  | Refused;

/** An invalid credential, with the reason. */
export interface Refused {
  readonly refused: string;
}

export interface AuthenticationOptions {
  /** Audiences that the credential must be for. Default: this server. */
  readonly audiences?: readonly string[];
}

export interface Authenticator {
  authenticate(request: ApiRequest, options?: AuthenticationOptions): Eventual<Authentication | undefined>;
}

/** Reason of authenticators that do not recognise a token. */
export const UNKNOWN_TOKEN = 'invalid bearer token';

/** Tries authenticators in order. The first user wins; a refusal counts only when none returns a user. */
export class AuthenticatorChain implements Authenticator {
  readonly #links: readonly Authenticator[];

  constructor(links: readonly Authenticator[]) {
    this.#links = links;
  }

  authenticate(request: ApiRequest, options?: AuthenticationOptions): Eventual<Authentication | undefined> {
    return this.#ask(0, undefined, request, options);
  }

  #ask(
    index: number,
    refusal: Refused | undefined,
    request: ApiRequest,
    options: AuthenticationOptions | undefined,
  ): Eventual<Authentication | undefined> {
    const link = this.#links[index];
    if (link === undefined) return refusal;
    return after(link.authenticate(request, options), (result) => {
      if (result !== undefined && 'user' in result) return result;
      return this.#ask(index + 1, moreSpecific(refusal, result), request, options);
    });
  }
}

/** Prefers a reason for an invalid token to `UNKNOWN_TOKEN`. */
function moreSpecific(earlier: Refused | undefined, later: Refused | undefined): Refused | undefined {
  return later !== undefined && (earlier === undefined || earlier.refused === UNKNOWN_TOKEN) ? later : earlier;
}

/** Adds `system:authenticated` to the groups of a user, unless a proxy names the anonymous user. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const { username, groups } = user;
  const isAnonymous = username === ANONYMOUS.username || ANONYMOUS.groups.some((group) => groups.includes(group));
  return isAnonymous || groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...groups, AUTHENTICATED] };
}

const AUTHENTICATED = 'system:authenticated';

interface AuthenticateOptions {
  readonly authenticator: Authenticator;
  readonly anonymous: AnonymousAccess;
  /** True for headers that are removed after authentication. */
  readonly isIdentity: (name: string) => boolean;
  /** Called for requests that are refused with 401. */
  readonly onRefused?: ((state: RequestState) => void) | undefined;
}

/**
 * Sets the user of a request. An invalid credential is a 401. A request without a credential has the anonymous user, or is a
 * 401 where anonymous access is disabled.
 */
export function authenticateStage({ authenticator, anonymous, isIdentity, onRefused }: AuthenticateOptions): Stage {
  const refuse = (state: RequestState): Error => {
    onRefused?.(state);
    return unauthorizedError();
  };
  return (state, next) => {
    const { user } = state.request.peer;
    if (user !== undefined) return next(identified(state, state.request, user, 'in-process'));
    return after(authenticator.authenticate(state.request), (result) => {
      const request = withoutIdentity(state.request, isIdentity);
      if (result === undefined) {
        if (hasMisplacedToken(state.request)) state.warnings.add(MISPLACED);
        if (anonymous === 'none') throw refuse(state);
        return serveAnonymous(identified(state, request, ANONYMOUS, 'anonymous'), next);
      }
      if ('refused' in result) throw refuse(state);
      return next(identified(state, request, result.user, result.source));
    });
  };
}

/** Removes credentials, so that no later stage can use them or pass them on. */
function withoutIdentity(request: ApiRequest, isIdentity: (name: string) => boolean): ApiRequest {
  const { headers } = request;
  let kept: Record<string, string | readonly string[] | undefined> | undefined;
  for (const name in headers) {
    if (!isIdentity(name)) continue;
    kept ??= { ...headers };
    delete kept[name];
  }
  return kept === undefined ? request : alterRequest(request, { headers: kept });
}

/** Peers that have authenticated. */
const knownPeers = new WeakSet<Peer>();

/** True when no request of the connection has been authenticated. */
export function isUnauthenticated({ peer }: Pick<ApiRequest, 'peer'>): boolean {
  return !knownPeers.has(peer);
}

const MISPLACED = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Closes the connection of an anonymous client after the response: keeping it would make requests cheap for attackers. */
async function serveAnonymous(state: RequestState, next: Next): Promise<ApiResponse> {
  const response = await answerOrStatus(state, next);
  response.headers.connection = 'close';
  return response;
}

async function answerOrStatus(state: RequestState, next: Next): Promise<ApiResponse> {
  try {
    return await next(state);
  } catch (error) {
    if (isUnexpected(error)) throw error;
    return await statusResponse(error, state.request);
  }
}

function identified(state: RequestState, request: ApiRequest, user: UserInfo, authenticatedBy: string): RequestState {
  if (user !== ANONYMOUS && !knownPeers.has(request.peer)) knownPeers.add(request.peer);
  const known = withRequest(state, request);
  known.user = user;
  known.authenticatedBy = authenticatedBy;
  return known;
}

/** Returns the token of an `Authorization: Bearer` header; `undefined` without one. */
export function bearerToken(request: ApiRequest): string | undefined {
  const [scheme = '', token = ''] = authorizationOf(request).split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** True when an extra space before the token makes it invalid. */
function hasMisplacedToken(request: ApiRequest): boolean {
  const [scheme = '', token, ...rest] = authorizationOf(request).split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token === '' && rest.length > 0;
}

function authorizationOf(request: ApiRequest): string {
  return headerOf(request, 'authorization')?.trim() ?? '';
}
