import { textResponse } from '../http/exchange.ts';
import { whenSent } from '../http/sent.ts';
import { LinkedAbort } from './linked-abort.ts';
import { isLongRunning } from './long-running.ts';
import type { Stage } from './pipeline.ts';

/**
 * From the moment `stopping` aborts, `/readyz` fails and long-running requests end; everything else is still answered,
 * until whoever listens stops listening.
 */
export function shutdownStage(stopping: AbortSignal): Stage {
  return async (state, next) => {
    const { info, request } = state;
    if (stopping.aborted && info.kind === 'path' && /^\/readyz(\/shutdown)?\/?$/.test(info.path)) {
      return textResponse(500, '[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n');
    }
    if (!isLongRunning(info)) return await next(state);
    const ending = new LinkedAbort(request.signal, stopping);
    try {
      const response = await next({ ...state, request: { ...request, signal: ending.signal } });
      return whenSent(response, ending.signal, () => ending.unlink());
    } catch (error) {
      ending.unlink();
      throw error;
    }
  };
}
