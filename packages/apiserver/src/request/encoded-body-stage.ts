import { serverResponseError } from '@pintle/machinery/errors';
import { headerOf } from '../http/exchange.ts';
import type { Stage } from './pipeline.ts';

/** Compressed bodies are refused unread: a small one can unfold to any size. */
export const encodedBodyStage: Stage = (state, next) => {
  const encoding = headerOf(state.request, 'content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    const serverMessage = 'the body of the request is encoded - the only accepted content encoding is identity';
    throw serverResponseError({ code: 415, method: state.request.method, serverMessage });
  }
  return next(state);
};
