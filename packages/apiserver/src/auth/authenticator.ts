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
 * Says who sent a request:
 * - a user, with the name of what vouched for them;
 * - `refused`: the request carries a credential of this kind and it is not good;
 * - `undefined`: the request carries none of this kind.
 */
export type Authentication =
  | {
      readonly user: UserInfo;
      readonly source: string;
      readonly credentialId?: string;
      /** Those of the wanted audiences that the credential is for. Absent: it is for this server. */
      readonly audiences?: readonly string[];
    }
  | Refused;

/** Why a credential is not good. */
export interface Refused {
  readonly refused: string;
}

export interface AuthenticationOptions {
  /** Whom the credential must be meant for. Default: this server. */
  readonly audiences?: readonly string[];
}

export interface Authenticator {
  authenticate(request: ApiRequest, options?: AuthenticationOptions): Eventual<Authentication | undefined>;
}

/** Why a token is refused by those who have never seen it. */
export const UNKNOWN_TOKEN = 'invalid bearer token';

/** Asks each in turn. The first user found wins; a refusal counts only when nobody recognises the request. */
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
    return after(link.authenticate(request, options), (answer) => {
      if (answer !== undefined && 'user' in answer) return answer;
      return this.#ask(index + 1, graver(refusal, answer), request, options);
    });
  }
}

/** Who does not know a token has less to say than who knows what is wrong with it. */
function graver(earlier: Refused | undefined, later: Refused | undefined): Refused | undefined {
  return later !== undefined && (earlier === undefined || earlier.refused === UNKNOWN_TOKEN) ? later : earlier;
}

/** Every user who proved who they are is in this group too; a stranger of whom a proxy tells stays one. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const { username, groups } = user;
  const isStranger = username === ANONYMOUS.username || ANONYMOUS.groups.some((group) => groups.includes(group));
  return isStranger || groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...groups, AUTHENTICATED] };
}

const AUTHENTICATED = 'system:authenticated';

interface AuthenticateOptions {
  readonly authenticator: Authenticator;
  readonly anonymous: AnonymousAccess;
  /** Headers that only authentication may look at. */
  readonly isIdentity: (name: string) => boolean;
  /** Told of requests that are turned away. */
  readonly onRefused?: ((state: RequestState) => void) | undefined;
}

/**
 * Finds out who is asking. A credential that is not good is a 401; no credential at all is the anonymous user, or a 401
 * where there is none.
 */
export function authenticateStage({ authenticator, anonymous, isIdentity, onRefused }: AuthenticateOptions): Stage {
  const refuse = (state: RequestState): Error => {
    onRefused?.(state);
    return unauthorizedError();
  };
  return (state, next) => {
    const { user } = state.request.peer;
    if (user !== undefined) return next(identified(state, state.request, user, 'in-process'));
    return after(authenticator.authenticate(state.request), (answer) => {
      const request = withoutIdentity(state.request, isIdentity);
      if (answer === undefined) {
        if (hasMisplacedToken(state.request)) state.warnings.add(MISPLACED);
        if (anonymous === 'none') throw refuse(state);
        return serveStranger(identified(state, request, ANONYMOUS, 'anonymous'), next);
      }
      if ('refused' in answer) throw refuse(state);
      return next(identified(state, request, answer.user, answer.source));
    });
  };
}

/** Nothing behind this can act on a credential once more, or pass it on. */
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

/** Peers that have shown a good credential. */
const knownPeers = new WeakSet<Peer>();

/** Whether nobody has authenticated on the connection that the request came on. */
export function isStranger({ peer }: Pick<ApiRequest, 'peer'>): boolean {
  return !knownPeers.has(peer);
}

const MISPLACED = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** A stranger's connection is not kept: it could carry many requests at little cost to them. */
async function serveStranger(state: RequestState, next: Next): Promise<ApiResponse> {
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

/** The token of an `Authorization: Bearer` header; `undefined` when there is none. */
export function bearerToken(request: ApiRequest): string | undefined {
  const [scheme = '', token = ''] = authorizationOf(request).split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** The token is there, but behind one space too many, and thus nobody looks at it. */
function hasMisplacedToken(request: ApiRequest): boolean {
  const [scheme = '', token, ...rest] = authorizationOf(request).split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token === '' && rest.length > 0;
}

function authorizationOf(request: ApiRequest): string {
  return headerOf(request, 'authorization')?.trim() ?? '';
}
