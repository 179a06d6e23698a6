import type { Socket } from 'node:net';
import { shareOf } from '../request/client-share.ts';

/** Fraction of all connections that a lone client may hold. A client may be all agents of a large cluster. */
const LONE_SHARE = 1 / 2;

export interface KnownConnection {
  readonly socket: Socket;
  /** True when no request is being served on it. */
  readonly isIdle: boolean;
}

/** Authenticated connections by client. A client may hold a fraction of what the others leave. */
export class KnownConnections {
  readonly #max: number;
  /** Connections of each client, oldest first. */
  readonly #byClient = new Map<string, Set<KnownConnection>>();
  readonly #clients = new WeakMap<Socket, string>();
  #total = 0;

  constructor(maxConnections: number) {
    this.#max = maxConnections;
  }

  /**
   * Counts a connection, once, for the first client that authenticated on it. Closes the oldest idle connection of a client that
   * has too many. Returns false when none is idle: the new one must end after its response then.
   */
  add(connection: KnownConnection, client: string): boolean {
    const { socket } = connection;
    if (this.#clients.has(socket) || socket.destroyed) return true;
    this.#clients.set(socket, client);
    const held = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, held.add(connection));
    this.#total++;
    socket.once('close', () => this.#remove(connection, client));
    if (held.size === 1 || held.size <= this.#shareOf(held.size)) return true;
    return this.#closeIdle(held, connection);
  }

  /** Closes the oldest idle connection of the client with the most, if it has more than `count`. */
  closeIdleOfLargest(count: number): boolean {
    const larger = [...this.#byClient.values()].filter(({ size }) => size > count);
    return larger.sort((a, b) => b.size - a.size).some((held) => this.#closeIdle(held));
  }

  #shareOf(held: number): number {
    return shareOf(held, { max: this.#max, maxPerClient: this.#max * LONE_SHARE, total: this.#total });
  }

  #closeIdle(held: ReadonlySet<KnownConnection>, except?: KnownConnection): boolean {
    for (const connection of held) {
      if (connection === except || !connection.isIdle || connection.socket.destroyed) continue;
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #remove(connection: KnownConnection, client: string): void {
    const held = this.#byClient.get(client);
    if (!held?.delete(connection)) return;
    this.#total--;
    if (held.size === 0) this.#byClient.delete(client);
  }
}

/** Fraction of all connections beyond which a new one replaces another. */
const NEARLY_FULL = 0.9;

/**
 * Connections without an authenticated request. When connections run out, the holder of the most loses one: an authenticated
 * client its oldest idle one, or all unauthenticated clients together their oldest. A client can therefore not keep others out,
 * neither with idle connections nor with a request on each.
 */
export class AnonymousConnections {
  readonly #fullAt: number;
  readonly #known: KnownConnections;
  /** By address and port, which a TLS socket shares with the TCP socket below it. Oldest first. */
  readonly #sockets = new Map<string, Socket>();

  constructor(maxConnections: number, known: KnownConnections) {
    this.#known = known;
    this.#fullAt = Math.floor(maxConnections * NEARLY_FULL);
  }

  /** `open` is the number of connections, including this one. */
  add(socket: Socket, open: number): void {
    const name = nameOf(socket);
    this.#sockets.set(name, socket);
    socket.once('close', () => {
      if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
    });
    if (open > this.#fullAt && !this.#known.closeIdleOfLargest(this.#sockets.size)) this.#closeOldest(name);
  }

  markKnown(socket: Socket): void {
    if (this.#sockets.size > 0) this.#sockets.delete(nameOf(socket));
  }

  #closeOldest(newest: string): void {
    const [oldest] = this.#sockets;
    if (oldest === undefined || oldest[0] === newest) return;
    this.#sockets.delete(oldest[0]);
    oldest[1].destroy();
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
