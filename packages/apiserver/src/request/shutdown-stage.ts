import { alterRequest } from '../http/exchange.ts';
import { onAbort, onRequestEnd } from '../http/request-end.ts';
import { whenSent } from '../http/sent.ts';
import { LinkedAbort } from './linked-abort.ts';
import { isLongRunning } from './long-running.ts';
import type { Stage } from './pipeline.ts';

/** Ends long-running requests when `stopping` aborts; everything else is answered as long as somebody listens. */
export function shutdownStage(stopping: AbortSignal): Stage {
  return async (state, next) => {
    const { info, request } = state;
    if (!isLongRunning(info)) return await next(state);
    let ending: LinkedAbort | undefined;
    const limited = alterRequest(request, {
      signal: () => {
        ending ??= new LinkedAbort(request.signal, stopping);
        return ending.signal;
      },
      onEnd: (callback) => {
        const stops = [onRequestEnd(request, callback), onAbort(stopping, callback)];
        return () => {
          for (const stop of stops) stop();
        };
      },
    });
    try {
      return whenSent(await next({ ...state, request: limited }), limited, () => ending?.unlink());
    } catch (error) {
      ending?.unlink();
      throw error;
    }
  };
}
