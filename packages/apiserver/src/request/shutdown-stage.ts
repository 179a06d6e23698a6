import { attempt } from '@pintle/async';
import { alterRequest } from './exchange.ts';
import { LinkedAbort } from './linked-abort.ts';
import { isLongRunning } from './long-running.ts';
import type { Stage } from './pipeline.ts';
import { onAbort, onRequestEnd } from './request-end.ts';
import { whenSent } from './sent.ts';

/** Ends long-running requests when `stopping` aborts; everything else is answered as long as somebody listens. */
export function shutdownStage(stopping: AbortSignal): Stage {
  return (state, next) => {
    const { info, request } = state;
    if (!isLongRunning(info)) return next(state);
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
    return attempt(
      () => next({ ...state, request: limited }),
      (response) => whenSent(response, limited, () => ending?.unlink()),
      (error) => {
        ending?.unlink();
        throw error;
      },
    );
  };
}
