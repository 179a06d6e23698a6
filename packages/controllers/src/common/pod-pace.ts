import { TokenBucket } from '@pintle/async';
import type { Manager } from '@pintle/operator';

/**
 * How fast a controller makes pods: as fast as it can for what anybody means, and then no faster than leaves the server
 * to others. Whoever asked for a hundred thousand by mistake has the time to take it back.
 */
export function podPace({ clock }: Manager): TokenBucket {
  return new TokenBucket({ clock, burst: 5_000, ratePerSecond: 250 });
}
