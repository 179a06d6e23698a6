import type { Socket } from 'node:net';
import type { DialOptions, ReadInto } from './dial.ts';
import { dial } from './dial.ts';

/** Open socket, and its received bytes. */
export interface DialedSocket {
  readonly socket: Socket;
  /** Protocol that TLS negotiated by ALPN. */
  readonly protocol: string | undefined;
  /**
   * Calls `take` with the received bytes, first with those that have already arrived. They are overwritten after it
   * returns. Called once.
   */
  listen(take: (bytes: Buffer) => void): void;
  /** Called instead of `listen`. Returns the socket, which protocols of Node.js can then read. */
  release(): Socket;
}

/** Opens a connection that reads into a shared buffer; through a proxy, each read has its own buffer. */
export async function dialSocket(options: DialOptions): Promise<DialedSocket> {
  if (options.proxy !== undefined) return plainSocket(await dial(options));
  const reads = new SocketReads();
  const socket = await dial(options, reads.readInto);
  return {
    socket,
    protocol: protocolOf(socket),
    listen: (take) => {
      reads.forward(take);
      socket.resume();
    },
    release: () => {
      reads.forward((bytes) => socket.push(Buffer.from(bytes)));
      return socket;
    },
  };
}

export function plainSocket(socket: Socket): DialedSocket {
  return {
    socket,
    protocol: protocolOf(socket),
    listen: (take) => void socket.on('data', take),
    release: () => socket,
  };
}

/** Buffer of a socket's reads. Keeps bytes that arrive before there is a listener: a server may send first. */
class SocketReads {
  readonly readInto: ReadInto;
  #take: ((bytes: Buffer) => boolean | void) | undefined;
  #early: Buffer[] = [];

  constructor() {
    this.readInto = {
      buffer: readBuffer(),
      callback: (length, buffer) => this.#read(buffer.subarray(0, length) as Buffer),
    };
  }

  /** `take` returns false to pause reading. */
  forward(take: (bytes: Buffer) => boolean | void): void {
    this.#take = take;
    for (const bytes of this.#early) take(bytes);
    this.#early = [];
  }

  /** Returns false, which pauses reading, until there is a listener. */
  #read(bytes: Buffer): boolean {
    if (this.#take !== undefined) return this.#take(bytes) !== false;
    this.#early.push(Buffer.from(bytes));
    return false;
  }
}

function protocolOf(socket: Socket): string | undefined {
  return 'alpnProtocol' in socket && typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : undefined;
}

const READ_BYTES = 256 * 1024;
let shared: Buffer | undefined;

/** Connections share one buffer where a read fills it and calls back at once, which is not so on Windows. */
function readBuffer(): Buffer {
  if (process.platform === 'win32') return Buffer.allocUnsafeSlow(READ_BYTES / 4);
  shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
  return shared;
}
