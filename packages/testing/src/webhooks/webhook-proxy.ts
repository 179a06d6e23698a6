import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * Forwards connections of a server in another process to the running operator, whatever port it listens on, as a Service does
 * in a cluster.
 */
export class WebhookProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  /** `ports`: ports of the running operators. */
  private constructor(ports: () => readonly number[]) {
    this.#server = createServer((socket) => this.#forward(socket, ports()));
  }

  static async listen(ports: () => readonly number[]): Promise<WebhookProxy> {
    const proxy = new WebhookProxy(ports);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(0, resolve);
    });
    return proxy;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Closes the connection when no operator runs, like a Service without endpoints. */
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
