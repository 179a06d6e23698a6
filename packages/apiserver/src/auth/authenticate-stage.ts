import { after } from '@pintle/async';
import { unauthorizedError } from '@pintle/machinery/errors';
import { isUnexpected, statusResponse } from '../http/status.ts';
import type { ApiRequest, ApiResponse, Peer } from '../request/exchange.ts';
import { alterRequest } from '../request/exchange.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import { withRequest } from '../request/pipeline.ts';
import type { UserInfo } from '../request/user-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';
import type { AnonymousAccess } from './anonymous.ts';
import type { Authenticator } from './authenticator.ts';
import { hasMisplacedToken } from './token-authenticator.ts';

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
