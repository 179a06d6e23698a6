import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@pintle/async';
import { ClientError } from '../errors.ts';
import { type DialOptions, dial, KEEP_ALIVE_MS } from './dial.ts';

const MAX_IDLE = 16;
/** So long before a server says it will close an idle connection, nothing more is sent on it. */
const MARGIN_MS = 1_000;

/** What a connection was last used for. */
export interface Use {
  /** The response is complete: nothing more may come before the next request. */
  readonly isAnswered: boolean;
  /** So long the server keeps the connection afterwards, if it said. */
  readonly keptMs: number | undefined;
}

interface Http1AgentOptions extends DialOptions {
  /** Steps how long idle connections are kept. */
  readonly idleClock: Clock;
  /** Is open already. */
  readonly first?: Socket | undefined;
}

/** Node's pool of connections, with connections that are dialled here: through proxies, with certificates. */
export class Http1Agent extends Agent {
  readonly #options: Http1AgentOptions;
  readonly #open = new Set<Socket>();
  readonly #uses = new WeakMap<Duplex, Use>();
  readonly #expiries = new WeakMap<Duplex, Timer>();
  #first: Socket | undefined;
  #isClosed = false;

  constructor(options: Http1AgentOptions) {
    super({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxFreeSockets: MAX_IDLE });
    this.#options = options;
    this.#first = options.first && this.#follow(options.first).unref();
  }

  /** A request is about to be written to the socket. */
  noteUse(socket: Socket, use: Use): void {
    this.#uses.set(socket, use);
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    this.#connect().then(
      (socket) => callback(null, socket),
      // Node takes no socket where there is an error.
      (error) => (callback as (error: Error) => void)(error),
    );
  }

  /** False, which Node's types do not tell: the socket is not kept. */
  override keepSocketAlive(socket: Duplex): boolean {
    const keptMs = this.#uses.get(socket)?.keptMs;
    this.#uses.delete(socket);
    if (this.#isClosed || (keptMs !== undefined && keptMs <= MARGIN_MS)) return false;
    if (keptMs !== undefined)
      this.#expiries.set(
        socket,
        this.#options.idleClock.setTimer(keptMs - MARGIN_MS, () => socket.destroy()),
      );
    super.keepSocketAlive(socket);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#expiries.get(socket)?.cancel();
    super.reuseSocket(socket, request);
  }

  /** Ends all connections, those too that are being opened. */
  override destroy(): void {
    this.#isClosed = true;
    for (const socket of this.#open) socket.destroy();
    super.destroy();
  }

  async #connect(): Promise<Socket> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && !first.destroyed) return first.ref();
    return this.#follow(await dial(this.#options));
  }

  #follow(socket: Socket): Socket {
    if (this.#isClosed) {
      socket.destroy();
      throw new ClientError({ code: 'Closed', what: 'the transport' });
    }
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#expiries.get(socket)?.cancel();
    });
    // What comes unasked might be taken for the answer of the next request.
    socket.on('data', () => {
      if (this.#uses.get(socket)?.isAnswered !== false) socket.destroy();
    });
    // A proxy's words were read one by one.
    return socket.resume();
  }
}
