import type { Clock, Eventual, Timer } from '@pintle/async';
import { attempt } from '@pintle/async';
import { badRequestError, timeoutError } from '@pintle/machinery/errors';
import { parseDurationMs } from '@pintle/machinery/time';
import type { ApiRequest, ApiResponse } from './exchange.ts';
import { alterRequest, discard, whenSent } from './exchange.ts';
import type { Stage } from './pipeline.ts';
import { withRequest } from './pipeline.ts';
import { LinkedAbort, onAbort, onRequestEnd } from './request-end.ts';
import { isLongRunning } from './request-info.ts';

const MAX_MS = 60_000;

/**
 * Gives every request an end: what `?timeout=` asks for, at most a minute. A request that is late is answered with 504
 * and its signal aborts; a write that was on its way may still take effect. Long-running requests have their own ends.
 */
export function deadlineStage(clock: Clock, maxMs = MAX_MS): Stage {
  return (state, next) => {
    if (isLongRunning(state.info)) return next(state);
    const limitMs = readTimeout(state.query.get('timeout'), maxMs);
    const deadline = new Deadline(state.request);
    const request = alterRequest(state.request, deadline);
    const answer = next(withRequest(state, request));
    // What is answered at once is never late.
    if (!(answer instanceof Promise) && answer.body instanceof Uint8Array) return answer;
    return untilLate(
      deadline,
      request,
      clock.setTimer(limitMs, () => deadline.expire()),
      answer,
    );
  };
}

async function untilLate(
  deadline: Deadline,
  request: ApiRequest,
  timer: Timer,
  answer: Eventual<ApiResponse>,
): Promise<ApiResponse> {
  const settle = (): void => {
    timer.cancel();
    deadline.unlink();
  };
  try {
    return whenSent(await deadline.over(answer), request, settle);
  } catch (error) {
    settle();
    abandon(answer);
    throw error;
  }
}

/** When a request must be answered. */
class Deadline {
  readonly #request: ApiRequest;
  #ending: LinkedAbort | undefined;
  #late: Error | undefined;
  #giveUp: ((reason: Error) => void) | undefined;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  expire(): void {
    this.#late = timeoutError('request did not complete within requested timeout - context deadline exceeded');
    this.#ending?.abort(this.#late);
    this.#giveUp?.(this.#late);
  }

  /** The answer, unless it is too late first: then rejects. */
  over(answer: Eventual<ApiResponse>): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (answer instanceof Promise) answer.then(resolve, reject);
      else resolve(answer);
    });
  }

  /** The request's own, ended by the deadline too. */
  readonly signal = (): AbortSignal => {
    if (this.#ending === undefined) {
      this.#ending = new LinkedAbort(this.#request.signal);
      if (this.#late !== undefined) this.#ending.abort(this.#late);
    }
    return this.#ending.signal;
  };

  unlink(): void {
    this.#ending?.unlink();
  }
}

function readTimeout(text: string | null, maxMs: number): number {
  if (text === null || text === '') return maxMs;
  let timeoutMs: number;
  try {
    timeoutMs = parseDurationMs(text);
  } catch (error) {
    throw badRequestError(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
  return timeoutMs > 0 && timeoutMs < maxMs ? timeoutMs : maxMs;
}

/** Whatever still comes of a request that was answered already is let go. */
function abandon(answer: Eventual<ApiResponse>): void {
  Promise.resolve(answer)
    .then(discard)
    .catch(() => {});
}

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
