import type { Socket } from 'node:net';
import type { KnownConnections } from './known-connections.ts';

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
