import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@pintle/async';
import { ClientError } from '../errors.ts';
import { type DialOptions, dial, KEEP_ALIVE_MS } from './dial.ts';

const MAX_IDLE = 16;
/** Time before the announced close of an idle connection from which it is not used any more. */
const MARGIN_MS = 1_000;

/** Exchange that a connection carries. */
export interface CurrentExchange {
  /** True when the response is complete: no data may arrive before the next request. */
  readonly isComplete: boolean;
  /** Time that the server keeps the idle connection open, by its Keep-Alive header. */
  readonly keepAliveMs: number | undefined;
}

interface Http1AgentOptions extends DialOptions {
  /** Times how long idle connections are kept. */
  readonly idleClock: Clock;
  /** Connection that is already open. */
  readonly first?: Socket | undefined;
}

/** Connection pool of Node.js, with connections that are dialed here: through proxies, with certificates. */
export class Http1Agent extends Agent {
  readonly #options: Http1AgentOptions;
  readonly #open = new Set<Socket>();
  readonly #exchanges = new WeakMap<Duplex, CurrentExchange>();
  readonly #expiries = new WeakMap<Duplex, Timer>();
  #first: Socket | undefined;
  #isClosed = false;

  constructor(options: Http1AgentOptions) {
    super({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxFreeSockets: MAX_IDLE });
    this.#options = options;
    this.#first = options.first && this.#follow(options.first).unref();
  }

  /** Called before a request is written to the socket. */
  startExchange(socket: Socket, exchange: CurrentExchange): void {
    this.#exchanges.set(socket, exchange);
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    this.#connect().then(
      (socket) => callback(null, socket),
      // Node.js expects no socket with an error.
      (error) => (callback as (error: Error) => void)(error),
    );
  }

  /** Returns false when the socket is not kept, which the types of Node.js leave out. */
  override keepSocketAlive(socket: Duplex): boolean {
    const keepAliveMs = this.#exchanges.get(socket)?.keepAliveMs;
    this.#exchanges.delete(socket);
    if (this.#isClosed || (keepAliveMs !== undefined && keepAliveMs <= MARGIN_MS)) return false;
    if (keepAliveMs !== undefined)
      this.#expiries.set(
        socket,
        this.#options.idleClock.setTimer(keepAliveMs - MARGIN_MS, () => socket.destroy()),
      );
    super.keepSocketAlive(socket);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#expiries.get(socket)?.cancel();
    super.reuseSocket(socket, request);
  }

  /** Closes all connections, also those that are being opened. */
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
    // Unexpected data might be taken for the response to the next request.
    socket.on('data', () => {
      if (this.#exchanges.get(socket)?.isComplete !== false) socket.destroy();
    });
    // Reading the response of a proxy has paused the socket.
    return socket.resume();
  }
}
