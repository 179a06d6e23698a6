import { randomBytes } from 'node:crypto';
import type { Peer, UserInfo } from '@pintle/apiserver';
import { clientNameOf } from '@pintle/apiserver/request';
import type { Clock } from '@pintle/async';
import { ConsoleError } from './errors.ts';
import { digestOf } from './links.ts';
import type { SharedWatches } from './shared-watches.ts';

/** Identity of a session's requests: as a user of this process, or by a token that the server judges each time. */
export type Identity =
  | { readonly kind: 'user'; readonly user: UserInfo }
  | { readonly kind: 'token'; readonly token: string; readonly user: UserInfo };

const LIFE_MS = 8 * 60 * 60_000;
/** Maximum of sessions of one user. Beyond it the one that was idle longest ends. */
const MAX_SESSIONS_OF_USER = 32;
/** Maximum of sessions. Beyond it, the user with the most sessions loses the one that was idle longest. */
const MAX_SESSIONS = 256;
/** Maximum of streams of one session. A page of the graph has one for each kind, and a person has several pages. */
const MAX_STREAMS = 1_000;
/** Maximum of streams of one session that carry many watches: a page has one. Beyond it the oldest ends. */
const MAX_SHARED = 16;

/** One person in one browser. */
export class Session {
  readonly identity: Identity;
  readonly #ended = new AbortController();
  /** One for each connection of the browser, so that what the server remembers of a peer lasts as long as that. */
  readonly #peers = new WeakMap<Peer, Peer>();
  /** Streams that carry many watches, by their names. */
  readonly shared = new Map<string, SharedWatches>();
  #streams = 0;
  expiresMs = 0;

  constructor(identity: Identity) {
    this.identity = identity;
  }

  /** Aborts when the session ends, and with it its streams. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(): void {
    this.#ended.abort(new Error('The session has ended'));
  }

  /** The session's user at a browser's connection. A certificate that the browser shows is not the session's. */
  peerOf(peer: Peer): Peer {
    let own = this.#peers.get(peer);
    if (own === undefined) {
      const { address, reachedAt } = peer;
      const { identity } = this;
      own = { address, ...(reachedAt && { reachedAt }), ...(identity.kind === 'user' && { user: identity.user }) };
      this.#peers.set(peer, own);
    }
    return own;
  }

  /** Keeps a stream that carries many watches, until it is deleted from `shared`. */
  keepShared(shared: SharedWatches): void {
    const [oldest] = this.shared.values();
    if (oldest !== undefined && this.shared.size >= MAX_SHARED) {
      this.shared.delete(oldest.id);
      oldest.close();
    }
    this.shared.set(shared.id, shared);
  }

  /** Counts a stream until the returned function is called. Throws when there are too many. */
  openStream(): () => void {
    if (this.#streams >= MAX_STREAMS) throw new ConsoleError({ code: 'TooManyStreams', max: MAX_STREAMS });
    this.#streams++;
    let isOpen = true;
    return () => {
      if (isOpen) this.#streams--;
      isOpen = false;
    };
  }
}

/** Everybody who is logged in, in the order of their last requests. */
export class Sessions {
  readonly #clock: Clock;
  readonly #byDigest = new Map<string, Session>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the cookie's value for a new session. */
  begin(identity: Identity): { readonly id: string; readonly session: Session } {
    for (const [digest, session] of this.#byDigest) {
      if (session.expiresMs > this.#clock.monotonic()) break;
      this.#end(digest, session);
    }
    this.#makeRoom(clientNameOf(identity.user, {}));
    const id = randomBytes(32).toString('base64url');
    const session = new Session(identity);
    this.#keep(digestOf(id), session);
    return { id, session };
  }

  /** Finds a session and lets it last for another eight hours. */
  find(id: string | undefined): Session | undefined {
    if (id === undefined) return undefined;
    const digest = digestOf(id);
    const session = this.#byDigest.get(digest);
    if (session === undefined) return undefined;
    if (session.expiresMs <= this.#clock.monotonic()) {
      this.end(id);
      return undefined;
    }
    this.#keep(digest, session);
    return session;
  }

  end(id: string): void {
    const digest = digestOf(id);
    const session = this.#byDigest.get(digest);
    if (session !== undefined) this.#end(digest, session);
  }

  #end(digest: string, session: Session): void {
    session.end();
    this.#byDigest.delete(digest);
  }

  /** Otherwise a user with any token logs everybody out by logging in again and again. */
  #makeRoom(user: string): void {
    const held = new Map<string, [digest: string, session: Session][]>();
    for (const entry of this.#byDigest) {
      const name = clientNameOf(entry[1].identity.user, {});
      const entries = held.get(name) ?? [];
      entries.push(entry);
      held.set(name, entries);
    }
    const own = held.get(user) ?? [];
    const largest = [...held.values()].reduce((most, entries) => (entries.length > most.length ? entries : most), own);
    if (own.length >= MAX_SESSIONS_OF_USER) this.#end(...own[0]!);
    else if (this.#byDigest.size >= MAX_SESSIONS) this.#end(...largest[0]!);
  }

  #keep(digest: string, session: Session): void {
    session.expiresMs = this.#clock.monotonic() + LIFE_MS;
    this.#byDigest.delete(digest);
    this.#byDigest.set(digest, session);
  }
}

/** Cookies know no ports: each server of a host has a cookie of its own, named after the port of its address. */
export function cookieNameOf(host: string): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1] ?? '443';
  return `__Host-pintle-${port}`;
}

/** Returns the value of the console's cookie; `undefined` when there are several of that name. */
export function sessionIdOf(name: string, header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [only] = values;
  return values.length === 1 && only !== undefined && /^[\w-]{43}$/.test(only) ? only : undefined;
}

/** Returns the header that sets the cookie, or removes it. */
export function cookieOf(name: string, id: string | undefined): string {
  const value = id === undefined ? `${name}=; Max-Age=0` : `${name}=${id}`;
  return `${value}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}
