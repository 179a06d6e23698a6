import { unauthorizedError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../http/exchange.ts';
import { isUnexpected, statusResponse } from '../http/status.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import type { AnonymousAccess } from './anonymous.ts';
import type { Authenticator } from './authenticator.ts';
import { hasMisplacedToken } from './token-authenticator.ts';
import { ANONYMOUS } from './user-info.ts';

export interface AuthenticateOptions {
  readonly authenticator: Authenticator;
  readonly anonymous: AnonymousAccess;
  /** Told of requests that are turned away. */
  readonly onRefused?: ((state: RequestState) => void) | undefined;
}

/**
 * Finds out who is asking. A credential that is not good is a 401; no credential at all is the anonymous user, or a 401
 * where there is none.
 */
export function authenticateStage({ authenticator, anonymous, onRefused }: AuthenticateOptions): Stage {
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
      return await serveStranger(state, next);
    }
    if ('refused' in answer) throw refuse(state);
    return await next({ ...state, user: answer.user, authenticatedBy: answer.source });
  };
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
