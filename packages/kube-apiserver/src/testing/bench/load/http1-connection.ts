import type { TLSSocket } from 'node:tls';
import type { Connection, LoadAnswer, LoadRequest, Target } from './connection.ts';
import { connectTls } from './connection.ts';

/** HTTP/1.1 with one request at a time. Parses only what is needed to find the end of a response. */
export class Http1Connection implements Connection {
  readonly streams = 1;
  readonly #socket: TLSSocket;
  #pending: { resolve(answer: LoadAnswer): void; reject(error: Error): void } | undefined;
  #carried: Buffer = Buffer.alloc(0);
  #answer: { status: number; bytes: number; end: BodyEnd } | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#pending?.reject(error));
    socket.on('close', () => this.#pending?.reject(new Error('The server closed the connection')));
  }

  static async open(target: Target): Promise<Http1Connection> {
    return new Http1Connection(await connectTls(target, 'http/1.1'));
  }

  send({ method, path, headers = {}, body }: LoadRequest): Promise<LoadAnswer> {
    let head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: bench\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (body === undefined) this.#socket.write(`${head}\r\n`, 'latin1');
    else this.#socket.write(Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]));
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#answer !== undefined) {
      this.#takeBody(bytes);
      return;
    }
    const all = this.#carried.length === 0 ? bytes : Buffer.concat([this.#carried, bytes]);
    const end = all.indexOf('\r\n\r\n');
    this.#carried = end === -1 ? all : Buffer.alloc(0);
    if (end === -1) return;
    const head = all.toString('latin1', 0, end);
    this.#answer = { status: Number(head.slice(9, 12)), bytes: 0, end: endOf(head) };
    this.#takeBody(all.subarray(end + 4));
  }

  #takeBody(bytes: Buffer): void {
    const answer = this.#answer!;
    answer.bytes += bytes.length;
    if (!answer.end.passed(bytes)) return;
    this.#answer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve({ status: answer.status, bytes: answer.bytes });
  }
}

interface BodyEnd {
  /** True when the body ends with these bytes. */
  passed(bytes: Buffer): boolean;
}

function endOf(head: string): BodyEnd {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? new ChunkedEnd() : new LengthEnd(Number(length));
}

class LengthEnd implements BodyEnd {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  passed(bytes: Buffer): boolean {
    this.#left -= bytes.length;
    return this.#left <= 0;
  }
}

/** Without trailers, `0 CR LF CR LF` ends a chunked body; JSON can only contain it at the end of a chunk. */
class ChunkedEnd implements BodyEnd {
  static readonly #MARK = Buffer.from('\r\n0\r\n\r\n');
  #tail: Buffer = Buffer.alloc(0);

  passed(bytes: Buffer): boolean {
    this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-ChunkedEnd.#MARK.length);
    return this.#tail.equals(ChunkedEnd.#MARK);
  }
}
