import { abortable, type Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import type { Connections } from './http-transport.ts';
import { Http1Connection } from './http1-connection.ts';
import { requestHeadOf } from './request-head.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import type { Wire } from './wire.ts';
import { openWire } from './wire.ts';

const MAX_RESTING = 16;
/** So long before a server says it will close an idle connection, nothing more is sent on it. */
const MARGIN_MS = 1_000;

/** Idle connections are kept for the next request; a request under way has one to itself. */
export class Http1Connections implements Connections {
  readonly #options: DialOptions;
  readonly #clock: Clock;
  readonly #open = new Set<Http1Connection>();
  /** The one that was used last comes last. */
  #resting: { readonly connection: Http1Connection; readonly untilMs: number }[] = [];
  #isClosed = false;

  constructor(options: DialOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  async send(request: TransportRequest, target: string): Promise<TransportResponse> {
    const head = requestHeadOf(request, target, this.#options.server);
    const connection = this.#take() ?? (await this.#dialFor(request));
    return await connection.send(request, head);
  }

  /** Takes in a connection that was opened to find out how to talk. */
  adopt(wire: Wire): void {
    this.#rest(this.#adopt(wire));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#open) connection.destroy();
  }

  /** A connection that comes too late for its request is kept for the next. */
  async #dialFor({ signal }: TransportRequest): Promise<Http1Connection> {
    const dialing = this.#dial();
    try {
      const connection = await abortable(dialing, signal);
      signal?.throwIfAborted();
      return connection;
    } catch (error) {
      if (signal?.aborted) dialing.then((connection) => this.#rest(connection)).catch(() => undefined);
      throw error;
    }
  }

  async #dial(): Promise<Http1Connection> {
    return this.#adopt(await openWire(this.#options));
  }

  #adopt(wire: Wire): Http1Connection {
    if (this.#isClosed) {
      wire.socket.destroy();
      throw new ClientError({ code: 'Closed', what: 'the transport' });
    }
    const connection = new Http1Connection({
      server: this.#options.server,
      onIdle: (idle, keptMs) => this.#rest(idle, keptMs),
      onClose: (closed) => this.#forget(closed),
    });
    this.#open.add(connection);
    connection.open(wire);
    return connection;
  }

  #take(): Http1Connection | undefined {
    for (;;) {
      const last = this.#resting.pop();
      if (last === undefined) return undefined;
      if (last.connection.isUsable && this.#clock.monotonic() < last.untilMs) return last.connection;
      last.connection.destroy();
    }
  }

  #rest(connection: Http1Connection, keptMs?: number): void {
    if (this.#isClosed || this.#resting.length === MAX_RESTING) {
      connection.destroy();
      return;
    }
    const untilMs = keptMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() + keptMs - MARGIN_MS;
    this.#resting.push({ connection, untilMs });
    connection.rest();
  }

  #forget(connection: Http1Connection): void {
    this.#open.delete(connection);
    this.#resting = this.#resting.filter((resting) => resting.connection !== connection);
  }
}
