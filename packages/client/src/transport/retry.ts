import { Backoff, type Clock, type Random, realClock, systemRandom } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { Interceptor, TransportRequest, TransportResponse } from './transport.ts';
import { discard, headerOf } from './transport.ts';

export interface RetryOptions {
  /** Default: 10 retries after Retry-After, 3 after connection errors. */
  readonly maxRetries?: number;
  /** Longest Retry-After that is honoured; a longer one returns the response. Default: 5 minutes. */
  readonly maxWaitMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

const MAX_WAIT_MS = 5 * 60_000;
const MAX_REFUSALS = 10;
const MAX_DISCONNECTS = 3;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns an interceptor that retries requests where that is safe: after a 429 or 503 with `Retry-After`, which the server did
 * not process, whatever the method; when the request was never sent; and when it only reads. The caller decides about other
 * failures.
 */
export function retry(options: RetryOptions = {}): Interceptor {
  const { maxRetries, maxWaitMs = MAX_WAIT_MS, clock = realClock, random = systemRandom } = options;
  return async (request, next) => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 2_000, jitter: 0.5, random });
    let [refusals, disconnects] = [maxRetries ?? MAX_REFUSALS, maxRetries ?? MAX_DISCONNECTS];
    for (;;) {
      let waitMs: number;
      try {
        const response = await next(request);
        const retryMs = retryAfterMs(response, clock);
        if (retryMs === undefined || retryMs > maxWaitMs || refusals-- <= 0) return response;
        await discard(response);
        waitMs = retryMs;
      } catch (error) {
        if (!isRetryable(error, request) || disconnects-- <= 0) throw error;
        waitMs = backoff.next();
      }
      await clock.sleep(waitMs, request.signal ? { signal: request.signal } : {});
    }
  };
}

/** Reads Retry-After, in seconds or as a date. */
function retryAfterMs(response: TransportResponse, clock: Clock): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const text = headerOf(response, 'retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}

function isRetryable(error: unknown, { method, signal }: TransportRequest): boolean {
  if (signal?.aborted || !(error instanceof ClientError) || error.failure.code !== 'Unreachable') return false;
  return !error.failure.isSent || SAFE_METHODS.has(method);
}
