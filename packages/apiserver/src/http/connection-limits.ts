import type { Socket } from 'node:net';
import { shareOf } from '../request/client-share.ts';

/** Of all connections, the part that a lone client may hold. A client may be all agents of a large cluster. */
const LONE_SHARE = 1 / 2;

export interface KnownConnection {
  readonly socket: Socket;
  /** Whether no request is being served on it. */
  readonly isIdle: boolean;
}

/** The connections on which requests have been authenticated, by client. A client may hold a part of what the others leave. */
export class KnownConnections {
  readonly #max: number;
  /** The oldest connection of each first. */
  readonly #byClient = new Map<string, Set<KnownConnection>>();
  readonly #clients = new WeakMap<Socket, string>();
  #total = 0;

  constructor(maxConnections: number) {
    this.#max = maxConnections;
  }

  /**
   * Counts a connection for a client, once, and for the first that was authenticated on it. A client that has too many loses
   * its oldest idle one. Returns false when it has none: this one must end after the response then.
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

  /** Closes the oldest idle connection of the client that has the most, if those are more than `count`. */
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

/** While more than this part of all connections is in use, a new one replaces another. */
const NEARLY_FULL = 0.9;

/**
 * The connections on which no request has been authenticated yet. When connections run out, who has the most of them loses
 * one: a client that is known the oldest idle one, or all those that are not known together the oldest. So neither a client
 * that opens many and sends nothing on them keeps others out, nor one that sends a request on each.
 */
export class AnonymousConnections {
  readonly #fullAt: number;
  readonly #known: KnownConnections;
  /** By the client's address, which a connection of TLS shares with the one below it. The oldest first. */
  readonly #sockets = new Map<string, Socket>();

  constructor(maxConnections: number, known: KnownConnections) {
    this.#known = known;
    this.#fullAt = Math.floor(maxConnections * NEARLY_FULL);
  }

  /** `open`: how many connections there are, with this one. */
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
