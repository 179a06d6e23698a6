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
 * Limits the duration of a request to its `?timeout=`, at most a minute. A late request is answered with 504 and its signal
 * aborts; a write that was under way may still take effect. Long-running requests have limits elsewhere.
 */
export function deadlineStage(clock: Clock, maxMs = MAX_MS): Stage {
  return (state, next) => {
    if (isLongRunning(state.info)) return next(state);
    const limitMs = readTimeout(state.query.get('timeout'), maxMs);
    const deadline = new Deadline(state.request);
    const request = alterRequest(state.request, deadline);
    const response = next(withRequest(state, request));
    // A synchronous response is never late.
    if (!(response instanceof Promise) && response.body instanceof Uint8Array) return response;
    return untilLate(
      deadline,
      request,
      clock.setTimer(limitMs, () => deadline.expire()),
      response,
    );
  };
}

async function untilLate(
  deadline: Deadline,
  request: ApiRequest,
  timer: Timer,
  response: Eventual<ApiResponse>,
): Promise<ApiResponse> {
  const settle = (): void => {
    timer.cancel();
    deadline.unlink();
  };
  try {
    return whenSent(await deadline.limit(response), request, settle);
  } catch (error) {
    settle();
    abandon(response);
    throw error;
  }
}

/** Time limit of a request. */
class Deadline {
  readonly #request: ApiRequest;
  #ending: LinkedAbort | undefined;
  #late: Error | undefined;
  #giveUp: ((reason: Error) => void) | undefined;
  #listeners: Set<() => void> | undefined;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  expire(): void {
    this.#late = timeoutError('request did not complete within requested timeout - context deadline exceeded');
    this.#ending?.abort(this.#late);
    for (const listener of [...(this.#listeners ?? [])]) listener();
    this.#giveUp?.(this.#late);
  }

  /** Settles as the response does, and rejects when the time is over first. */
  limit(response: Eventual<ApiResponse>): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (response instanceof Promise) response.then(resolve, reject);
      else resolve(response);
    });
  }

  /** Returns a signal that aborts with the request's own, or when the time is over. */
  readonly signal = (): AbortSignal => {
    if (this.#ending === undefined) {
      this.#ending = new LinkedAbort(this.#request.signal);
      if (this.#late !== undefined) this.#ending.abort(this.#late);
    }
    return this.#ending.signal;
  };

  /** Calls back when `signal` would abort, without creating a signal: that costs as much as some requests do. */
  readonly onEnd = (callback: () => void): (() => void) => {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      callback();
    };
    if (this.#late !== undefined) end();
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(end);
    const stopListening = onRequestEnd(this.#request, end);
    return () => {
      isOver = true;
      listeners.delete(end);
      stopListening();
    };
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

/** Discards the response of a request that was answered already. */
function abandon(response: Eventual<ApiResponse>): void {
  Promise.resolve(response)
    .then(discard)
    .catch(() => {});
}

/** Ends long-running requests when `stopping` aborts. Other requests are answered until the listener closes. */
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
