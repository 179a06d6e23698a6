import type { Peer } from './exchange.ts';
import type { UserInfo } from './user-info.ts';

const ACCOUNT_PREFIX = 'system:serviceaccount:';

/**
 * The name under which a user's requests are counted. The service accounts of a namespace are one client, named as their
 * group is: who may make one there may make many. Callers in this process are counted by their names.
 */
export function clientNameOf({ username }: UserInfo, peer: Pick<Peer, 'user'>): string {
  if (peer.user !== undefined || !username.startsWith(ACCOUNT_PREFIX)) return username;
  const end = username.indexOf(':', ACCOUNT_PREFIX.length);
  return end < 0 ? username : `system:serviceaccounts:${username.slice(ACCOUNT_PREFIX.length, end)}`;
}

/** A quantity that clients share. */
export interface Shared {
  /** How much there is. */
  readonly max: number;
  /** How much a client may hold that is alone. */
  readonly maxPerClient: number;
  /** How much all clients hold, with this one. */
  readonly total: number;
}

/**
 * Returns how much a client may hold: of what the others leave, the part that a lone client may hold of all. What n greedy
 * clients leave free shrinks with each, and is never nothing: with a quarter each, 32 % after four that come one after the
 * other, and 43 % once they hold equal parts.
 */
export function shareOf(held: number, { max, maxPerClient, total }: Shared): number {
  const left = max - (total - held);
  return left <= 0 ? 0 : Math.min(maxPerClient, (maxPerClient * left) / max);
}
