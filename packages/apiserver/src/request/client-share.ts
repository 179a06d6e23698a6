import type { Peer } from './exchange.ts';
import type { UserInfo } from './user-info.ts';

const ACCOUNT_PREFIX = 'system:serviceaccount:';

/**
 * Returns the name under which a user's requests are counted. The service accounts of a namespace are one client, with the
 * name of their group: a user who may create one there may create many. In-process callers are counted by their names.
 */
export function clientNameOf({ username }: UserInfo, peer: Pick<Peer, 'user'>): string {
  if (peer.user !== undefined || !username.startsWith(ACCOUNT_PREFIX)) return username;
  const end = username.indexOf(':', ACCOUNT_PREFIX.length);
  return end < 0 ? username : `system:serviceaccounts:${username.slice(ACCOUNT_PREFIX.length, end)}`;
}

/** A quantity that clients share. */
export interface Shared {
  /** Total amount. */
  readonly max: number;
  /** Amount that a client may hold while others hold none. */
  readonly maxPerClient: number;
  /** Amount that all clients hold, this one included. */
  readonly total: number;
}

/**
 * Returns the amount that a client may hold: of what the others leave, the fraction that a lone client may hold of all. What n
 * greedy clients leave free shrinks with each, and never to zero: with a quarter each, 32 % after four that arrive one after
 * the other, and 43 % once they hold equal parts.
 */
export function shareOf(held: number, { max, maxPerClient, total }: Shared): number {
  const left = max - (total - held);
  return left <= 0 ? 0 : Math.min(maxPerClient, (maxPerClient * left) / max);
}
