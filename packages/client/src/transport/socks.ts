import { isIP, type Socket } from 'node:net';

/** Reply codes of SOCKS 5, from 1 (RFC 1928). */
const REFUSALS = [
  'general failure',
  'not allowed by its rules',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'timed out',
  'command not supported',
  'address type not supported',
];
const VERSION = 5;
const NO_PASSWORD = 0;
const PASSWORD = 2;
const CONNECT = 1;
const [IPV4, NAME, IPV6] = [1, 3, 4];

interface SocksTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** Connects to the target through a SOCKS 5 proxy, which resolves its name. The socket is then that connection. */
export async function connectBySocks(socket: Socket, { host, port, username, password }: SocksTarget): Promise<void> {
  using reader = new SocketReader(socket);
  const method = username === '' ? NO_PASSWORD : PASSWORD;
  socket.write(Uint8Array.of(VERSION, 1, method));
  const [, chosen] = await reader.read(2);
  if (chosen !== method) throw new Error('the SOCKS proxy requires another authentication method');
  if (method === PASSWORD) {
    socket.write(Buffer.concat([Uint8Array.of(1), counted(username), counted(password)]));
    const [, outcome] = await reader.read(2);
    if (outcome !== 0) throw new Error('the SOCKS proxy refused the password');
  }
  socket.write(
    Buffer.concat([Uint8Array.of(VERSION, CONNECT, 0), addressOf(host), Uint8Array.of(port >> 8, port & 255)]),
  );
  const [, reply = 1, , kind] = await reader.read(4);
  if (reply !== 0) throw new Error(`the SOCKS proxy cannot connect: ${REFUSALS[reply - 1] ?? `code ${reply}`}`);
  const length = kind === NAME ? (await reader.read(1))[0]! : kind === IPV6 ? 16 : 4;
  await reader.read(length + 2);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a host name, user name or password is too long for SOCKS');
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

function addressOf(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  return Buffer.concat([Uint8Array.of(NAME), counted(host)]);
}

/** Reads an exact number of bytes; later bytes stay in the socket. */
class SocketReader implements Disposable {
  readonly #socket: Socket;
  #wake: () => void = () => undefined;
  readonly #onReadable = (): void => this.#wake();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('readable', this.#onReadable).on('close', this.#onReadable).on('error', this.#onReadable);
  }

  async read(bytes: number): Promise<Buffer> {
    for (;;) {
      const read = this.#socket.read(bytes) as Buffer | null;
      if (read !== null) return read;
      if (this.#socket.destroyed || this.#socket.readableEnded)
        throw new Error('the SOCKS proxy closed the connection');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  [Symbol.dispose](): void {
    for (const event of ['readable', 'close', 'error']) this.#socket.off(event, this.#onReadable);
  }
}
