import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { deferred, realClock } from '@pintle/async';

/** A connection waits so long for the operator that is about to start; the API server waits no longer either. */
const HOLD_MS = 10_000;

/**
 * Listens for the API server at one port of this machine while operators come and go behind it: bytes go to the operator
 * that serves, and connections made while the next one starts wait for it.
 */
export class WebhookFront implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Resolves with the operator's port; with none where no operator is to come. */
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

  /** From now on connections wait. */
  hold(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#target = deferred();
  }

  /** From now on connections go to a port, those that wait too; without one they are closed. */
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
