import { Backoff, type Clock, type Random, realClock, systemRandom } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { Interceptor, TransportRequest, TransportResponse } from './transport.ts';
import { discard, headerOf } from './transport.ts';

export interface RetryOptions {
  /** How often a request is tried again. Default: 10 times where the server asks for it, 3 times where it is away. */
  readonly maxRetries?: number;
  /** Longer than this no server keeps a client waiting: its refusal is the answer. Default: 5 minutes. */
  readonly maxWaitMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

const MAX_WAIT_MS = 5 * 60_000;
const MAX_REFUSALS = 10;
const MAX_BREAKS = 3;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Tries requests again that the server put off, and those that cannot have done anything:
 * a 429 or 503 that says `Retry-After` was not acted on, whatever its method; a request that was never sent was not
 * either; one that only reads may be read twice. Everything else is the caller's to decide.
 */
export function retry(options: RetryOptions = {}): Interceptor {
  const { maxRetries, maxWaitMs = MAX_WAIT_MS, clock = realClock, random = systemRandom } = options;
  return async (request, next) => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 2_000, jitter: 0.5, random });
    let [refusals, breaks] = [maxRetries ?? MAX_REFUSALS, maxRetries ?? MAX_BREAKS];
    for (;;) {
      let waitMs: number;
      try {
        const response = await next(request);
        const askedMs = retryAfterMs(response, clock);
        if (askedMs === undefined || askedMs > maxWaitMs || refusals-- <= 0) return response;
        await discard(response);
        waitMs = askedMs;
      } catch (error) {
        if (!mayRepeat(error, request) || breaks-- <= 0) throw error;
        waitMs = backoff.next();
      }
      await clock.sleep(waitMs, request.signal ? { signal: request.signal } : {});
    }
  };
}

/** Seconds, or a date. */
function retryAfterMs(response: TransportResponse, clock: Clock): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const text = headerOf(response, 'retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}

function mayRepeat(error: unknown, { method, signal }: TransportRequest): boolean {
  if (signal?.aborted || !(error instanceof ClientError) || error.failure.code !== 'Unreachable') return false;
  return !error.failure.isSent || SAFE_METHODS.has(method);
}
