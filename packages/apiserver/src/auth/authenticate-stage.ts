import { unauthorizedError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../http/exchange.ts';
import type { RequestState, Stage } from '../request/pipeline.ts';
import type { Authenticator } from './authenticator.ts';
import { ANONYMOUS } from './user-info.ts';

/** Finds out who is asking. A credential that is not good is a 401; no credential at all is the anonymous user. */
export function authenticateStage(authenticator: Authenticator, onRefused?: (state: RequestState) => void): Stage {
  return async (state, next) => {
    const { user } = state.request.peer;
    if (user !== undefined) return await next({ ...state, user, authenticatedBy: 'in-process' });
    const answer = await authenticator.authenticate(state.request);
    if (answer === undefined) return parting(await next({ ...state, user: ANONYMOUS, authenticatedBy: 'anonymous' }));
    if ('refused' in answer) {
      onRefused?.(state);
      throw unauthorizedError();
    }
    return await next({ ...state, user: answer.user, authenticatedBy: answer.source });
  };
}

/** A stranger's connection is not kept: it could carry many requests at little cost to them. */
function parting(response: ApiResponse): ApiResponse {
  response.headers.connection = 'close';
  return response;
}
