import type { Socket } from 'node:net';
import type { DialOptions, ReadInto } from './dial.ts';
import { dial } from './dial.ts';

/** An open socket, and what comes from it. */
export interface Wire {
  readonly socket: Socket;
  /** What both sides agreed to speak over TLS. */
  readonly protocol: string | undefined;
  /**
   * From now on `take` gets the bytes, at once those that came before. They are lent: it copies what it keeps. Called
   * once.
   */
  listen(take: (bytes: Buffer) => void): void;
  /** Instead of `listen`: from now on the socket is one that Node's own protocols can read. */
  handOver(): Socket;
}

/** Opens a connection whose reads need no buffer of their own, where that is possible: not through a proxy. */
export async function openWire(options: DialOptions): Promise<Wire> {
  if (options.proxy !== undefined) return plainWire(await dial(options));
  const intake = new Intake();
  const socket = await dial(options, intake.readInto);
  return {
    socket,
    protocol: protocolOf(socket),
    listen: (take) => {
      intake.pass(take);
      socket.resume();
    },
    handOver: () => {
      intake.pass((bytes) => socket.push(Buffer.from(bytes)));
      return socket;
    },
  };
}

export function plainWire(socket: Socket): Wire {
  return {
    socket,
    protocol: protocolOf(socket),
    listen: (take) => void socket.on('data', take),
    handOver: () => socket,
  };
}

/** Where a socket reads into, from before anybody knows who will want it: a server may speak first. */
class Intake {
  readonly readInto: ReadInto;
  #take: ((bytes: Buffer) => boolean | void) | undefined;
  #early: Buffer[] = [];

  constructor() {
    this.readInto = {
      buffer: readBuffer(),
      callback: (length, buffer) => this.#read(buffer.subarray(0, length) as Buffer),
    };
  }

  /** `take`: false when it wants no more for now. */
  pass(take: (bytes: Buffer) => boolean | void): void {
    this.#take = take;
    for (const bytes of this.#early) take(bytes);
    this.#early = [];
  }

  /** Nothing more is read, false says, until somebody wants it. */
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

/** Where reading fills a buffer and tells of it in one go, all connections can have the same. */
function readBuffer(): Buffer {
  if (process.platform === 'win32') return Buffer.allocUnsafeSlow(READ_BYTES / 4);
  shared ??= Buffer.allocUnsafeSlow(READ_BYTES);
  return shared;
}
