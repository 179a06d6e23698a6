import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { deferred, realClock } from '@pintle/async';

/** Maximum time that a connection waits for the next operator. The API server waits no longer either. */
const HOLD_MS = 10_000;

/**
 * Listens for the API server on one port while operators restart behind it: forwards connections to the current operator,
 * and holds new ones while the next operator starts.
 */
export class WebhookFront implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Resolves with the operator's port; with `undefined` when no operator will start. */
  #target = deferred<number | undefined>();
  #isHolding = true;

  private constructor() {
    this.#server = createServer({ pauseOnConnect: true }, (socket) => void this.#serve(socket));
  }

  static async open(): Promise<WebhookFront> {
    const front = new WebhookFront();
    front.#server.listen({ host: 'localhost', port: 0 });
    await once(front.#server, 'listening');
    return front;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Makes new connections wait. */
  hold(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#target = deferred();
  }

  /** Forwards new and waiting connections to a port; closes them when it is `undefined`. */
  forward(port: number | undefined): void {
    if (!this.#isHolding) this.#target = deferred();
    this.#isHolding = false;
    this.#target.resolve(port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.forward(undefined);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(socket: Socket): Promise<void> {
    this.#keep(socket);
    const port = await this.#targetInTime();
    if (port === undefined || socket.destroyed) {
      socket.destroy();
      return;
    }
    const operator = this.#keep(connect({ port, host: 'localhost' }));
    operator.once('close', () => socket.destroySoon());
    socket.once('close', () => operator.destroySoon());
    operator.pipe(socket);
    socket.pipe(operator);
  }

  async #targetInTime(): Promise<number | undefined> {
    const late = deferred<undefined>();
    using _timer = realClock.setTimer(HOLD_MS, () => late.resolve(undefined));
    return await Promise.race([this.#target.promise, late.promise]);
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
