import { isIP, type Socket } from 'node:net';

/** What SOCKS 5 answers with when it does not open a connection (RFC 1928). */
const REFUSALS = [
  'it failed',
  'it is not allowed',
  'the network cannot be reached',
  'the host cannot be reached',
  'the connection was refused',
  'it took too long',
  'it does not know how to connect',
  'it does not know such addresses',
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

/** Asks a SOCKS 5 proxy for a connection to the target, whose name it looks up. The socket is then that connection. */
export async function connectBySocks(socket: Socket, { host, port, username, password }: SocksTarget): Promise<void> {
  using reader = new SocketReader(socket);
  const method = username === '' ? NO_PASSWORD : PASSWORD;
  socket.write(Uint8Array.of(VERSION, 1, method));
  const [, chosen] = await reader.read(2);
  if (chosen !== method) throw new Error('the SOCKS proxy wants another way to log in');
  if (method === PASSWORD) {
    socket.write(Buffer.concat([Uint8Array.of(1), counted(username), counted(password)]));
    const [, outcome] = await reader.read(2);
    if (outcome !== 0) throw new Error('the SOCKS proxy refused the password');
  }
  socket.write(
    Buffer.concat([Uint8Array.of(VERSION, CONNECT, 0), addressOf(host), Uint8Array.of(port >> 8, port & 255)]),
  );
  const [, reply = 1, , kind] = await reader.read(4);
  if (reply !== 0) throw new Error(`the SOCKS proxy did not connect: ${REFUSALS[reply - 1] ?? `code ${reply}`}`);
  const length = kind === NAME ? (await reader.read(1))[0]! : kind === IPV6 ? 16 : 4;
  await reader.read(length + 2);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a name or password is too long for SOCKS');
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

function addressOf(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  return Buffer.concat([Uint8Array.of(NAME), counted(host)]);
}

/** Reads exactly so many bytes; what comes after them stays in the socket. */
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
