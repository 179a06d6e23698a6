import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const CONNECT_MS = 1_000;

/** Forwards TCP connections to servers in turn, and to the next one when a server does not take them. */
export class Balancer {
  readonly #ports: readonly number[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  static async listen(port: number, ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    balancer.#server.listen(port, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((client) => void this.#forward(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  async #forward(client: Socket): Promise<void> {
    this.#keep(client);
    const first = this.#turn++;
    for (let tried = 0; tried < this.#ports.length; tried++) {
      const server = await open(this.#ports[(first + tried) % this.#ports.length]!);
      if (server === undefined) continue;
      this.#keep(server);
      client.pipe(server).pipe(client);
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      return;
    }
    client.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

async function open(port: number): Promise<Socket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, timeout: CONNECT_MS });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    socket.setTimeout(0);
    return socket;
  } catch {
    return undefined;
  }
}
