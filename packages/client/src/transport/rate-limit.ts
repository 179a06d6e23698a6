import { type Clock, realClock, TokenBucket } from '@pintle/async';
import type { Interceptor } from './transport.ts';

export interface RateLimitOptions {
  readonly requestsPerSecond: number;
  /** How many may go at once. Default: twice those of a second. */
  readonly burst?: number;
  readonly clock?: Clock;
}

/** Holds requests back so that no more than so many go out; they go in the order they came. */
export function rateLimit({ requestsPerSecond, burst, clock = realClock }: RateLimitOptions): Interceptor {
  const bucket = new TokenBucket({
    ratePerSecond: requestsPerSecond,
    burst: burst ?? Math.max(1, requestsPerSecond * 2),
    clock,
  });
  return async (request, next) => {
    await bucket.take(request.signal ? { signal: request.signal } : {});
    return await next(request);
  };
}
