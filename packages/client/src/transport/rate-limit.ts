import { type Clock, realClock, TokenBucket } from '@pintle/async';
import type { Interceptor } from './transport.ts';

export interface RateLimitOptions {
  readonly requestsPerSecond: number;
  /** Requests that may be sent at once. Default: twice `requestsPerSecond`. */
  readonly burst?: number;
  readonly clock?: Clock;
}

/** Returns an interceptor that delays requests above the rate; they keep their order. */
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
