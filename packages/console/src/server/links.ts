import { createHash, randomBytes } from 'node:crypto';
import type { UserInfo } from '@pintle/apiserver';
import type { Clock } from '@pintle/async';

/** A link that logs a user in once. */
export interface PendingLink {
  readonly secret: string;
  readonly user: UserInfo;
  /** On the clock's monotonic time. */
  readonly expiresMs: number;
}

/** Life of a link of `pintle console`, which is opened at once, or never. */
export const LINK_LIFE_MS = 60_000;
/** Holds at most so many; the oldest makes room. */
const MAX_LINKS = 64;

/** Links that have not been used yet. Only digests are kept. */
export class Links {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Omit<PendingLink, 'secret'>>();

  constructor(clock: Clock, first: readonly PendingLink[] = []) {
    this.#clock = clock;
    for (const link of first) this.#add(link);
  }

  /** Returns the secret of a new link, which logs `user` in once within a minute. */
  create(user: UserInfo): string {
    const secret = randomBytes(32).toString('base64url');
    this.#add({ secret, user, expiresMs: this.#clock.monotonic() + LINK_LIFE_MS });
    return secret;
  }

  /** Returns whom the link logs in, and forgets it; `undefined` when it is unknown, used or too old. */
  redeem(secret: string): UserInfo | undefined {
    const key = digestOf(secret);
    const link = this.#pending.get(key);
    this.#pending.delete(key);
    return link !== undefined && link.expiresMs > this.#clock.monotonic() ? link.user : undefined;
  }

  #add({ secret, user, expiresMs }: PendingLink): void {
    for (const [key, link] of this.#pending) {
      if (link.expiresMs <= this.#clock.monotonic() || this.#pending.size >= MAX_LINKS) this.#pending.delete(key);
    }
    this.#pending.set(digestOf(secret), { user, expiresMs });
  }
}

/** Looking a digest up takes no time that tells of the secret. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
