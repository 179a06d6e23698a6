import { unauthorizedError } from '@pintle/machinery/errors';
import type { ApiRequest, ApiResponse } from '../http/exchange.ts';
import { alterRequest } from '../http/exchange.ts';
import { isUnexpected, statusResponse } from '../http/status.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import type { AnonymousAccess } from './anonymous.ts';
import type { Authenticator } from './authenticator.ts';
import { hasMisplacedToken } from './token-authenticator.ts';
import { ANONYMOUS } from './user-info.ts';

export interface AuthenticateOptions {
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
  return async (state, next) => {
    const { user } = state.request.peer;
    if (user !== undefined) return await next({ ...state, user, authenticatedBy: 'in-process' });
    const answer = await authenticator.authenticate(state.request);
    if (answer === undefined) {
      if (hasMisplacedToken(state.request)) state.warnings.add(MISPLACED);
      if (anonymous === 'none') throw refuse(state);
      return await serveStranger({ ...state, request: withoutIdentity(state.request, isIdentity) }, next);
    }
    if ('refused' in answer) throw refuse(state);
    const request = withoutIdentity(state.request, isIdentity);
    return await next({ ...state, request, user: answer.user, authenticatedBy: answer.source });
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

const MISPLACED = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** A stranger's connection is not kept: it could carry many requests at little cost to them. */
async function serveStranger(state: RequestState, next: Next): Promise<ApiResponse> {
  const response = await next({ ...state, user: ANONYMOUS, authenticatedBy: 'anonymous' }).catch((error: unknown) => {
    if (isUnexpected(error)) throw error;
    return statusResponse(error, state.request);
  });
  response.headers.connection = 'close';
  return response;
}
