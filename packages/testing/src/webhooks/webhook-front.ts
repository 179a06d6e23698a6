import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * What a Service is to webhooks in a cluster: one address, behind which whoever runs answers. A server that is elsewhere
 * asks here, and finds the operator that is there now, wherever it listens.
 */
export class WebhookFront implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  /** `ports`: of those that run now. */
  private constructor(ports: () => readonly number[]) {
    this.#server = createServer((socket) => this.#forward(socket, ports()));
  }

  static async listen(ports: () => readonly number[]): Promise<WebhookFront> {
    const front = new WebhookFront(ports);
    await new Promise<void>((resolve, reject) => {
      front.#server.once('error', reject).listen(0, resolve);
    });
    return front;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Somebody whom nobody answers is cut off, as by a Service without endpoints. */
  #forward(socket: Socket, ports: readonly number[]): void {
    const port = ports[0];
    if (port === undefined) {
      socket.destroy();
      return;
    }
    const behind = connect(port, '127.0.0.1');
    for (const one of [socket, behind]) {
      this.#open.add(one);
      one.once('close', () => this.#open.delete(one));
      one.on('error', () => [socket, behind].forEach((each) => void each.destroy()));
    }
    socket.pipe(behind).pipe(socket);
  }
}
