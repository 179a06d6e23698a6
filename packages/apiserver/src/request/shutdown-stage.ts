import { alterRequest } from '../http/exchange.ts';
import { whenSent } from '../http/sent.ts';
import { LinkedAbort } from './linked-abort.ts';
import { isLongRunning } from './long-running.ts';
import type { Stage } from './pipeline.ts';

/** Ends long-running requests when `stopping` aborts; everything else is answered as long as somebody listens. */
export function shutdownStage(stopping: AbortSignal): Stage {
  return async (state, next) => {
    const { info, request } = state;
    if (!isLongRunning(info)) return await next(state);
    const ending = new LinkedAbort(request.signal, stopping);
    try {
      const response = await next({ ...state, request: alterRequest(request, { signal: () => ending.signal }) });
      return whenSent(response, ending, () => ending.unlink());
    } catch (error) {
      ending.unlink();
      throw error;
    }
  };
}
