import { serverResponseError } from '@pintle/machinery/errors';
import type { Stage } from './pipeline.ts';

/** Resources have no HEAD, as in Kubernetes; paths answer it as they answer GET, and the transport leaves out the body. */
export const headStage: Stage = (state, next) => {
  if (state.request.method === 'HEAD' && state.info.kind === 'resource') {
    throw serverResponseError({ code: 405, method: 'HEAD' });
  }
  return next(state);
};
