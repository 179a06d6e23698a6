import type { Clock } from '@pintle/async';
import { deferred } from '@pintle/async';
import { badRequestError, timeoutError } from '@pintle/machinery/errors';
import { parseDurationMs } from '@pintle/machinery/time';
import type { ApiResponse } from '../http/exchange.ts';
import { discard, whenSent } from '../http/sent.ts';
import { LinkedAbort } from './linked-abort.ts';
import { isLongRunning } from './long-running.ts';
import type { Stage } from './pipeline.ts';

const MAX_MS = 60_000;

/**
 * Gives every request an end: what `?timeout=` asks for, at most a minute. A request that is late is answered with 504
 * and its signal aborts; a write that was on its way may still take effect. Long-running requests have their own ends.
 */
export function deadlineStage(clock: Clock, maxMs = MAX_MS): Stage {
  return async (state, next) => {
    if (isLongRunning(state.info)) return await next(state);
    const limitMs = readTimeout(state.query.get('timeout'), maxMs);
    const ending = new LinkedAbort(state.request.signal);
    const expired = deferred<never>();
    const timer = clock.setTimer(limitMs, () => {
      const late = timeoutError('request did not complete within requested timeout - context deadline exceeded');
      ending.abort(late);
      expired.reject(late);
    });
    const settle = (): void => {
      timer.cancel();
      ending.unlink();
    };
    const answer = next({ ...state, request: { ...state.request, signal: ending.signal } });
    try {
      return whenSent(await Promise.race([answer, expired.promise]), ending.signal, settle);
    } catch (error) {
      settle();
      abandon(answer);
      throw error;
    }
  };
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
function abandon(answer: Promise<ApiResponse>): void {
  answer.then(discard).catch(() => {});
}
