import type { TLSSocket } from 'node:tls';
import type { Connection, LoadAnswer, LoadRequest, Target } from './connection.ts';
import { connectTls } from './connection.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const SETTING = { headerTableSize: 1, initialWindowSize: 4 } as const;
const END_STREAM = 1;
const END_HEADERS = 4;
const ACK = 1;
const HEAD_BYTES = 9;
const MAX_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;
/** Bytes that are read before the window is replenished. */
const REPLENISH_BYTES = 2 ** 29;
const NOTHING: Buffer = Buffer.alloc(0);

export interface StreamListener {
  readonly onHead?: () => void;
  /** Called with the body as it arrives. Default: the body is only counted. */
  readonly onData?: (bytes: Buffer) => void;
}

/** State of one response. */
interface Stream {
  status: number;
  bytes: number;
  readonly listener: StreamListener;
  readonly resolve: (answer: LoadAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Minimal HTTP/2: sends headers without compression, and reads only the frames of responses. Callers keep so few
 * request bytes in flight that the server's window cannot run out.
 */
export class Http2Connection implements Connection {
  readonly streams: number;
  readonly #socket: TLSSocket;
  readonly #open = new Map<number, Stream>();
  readonly #blocks = new Map<string, Buffer>();
  #carried: Buffer = NOTHING;
  #nextId = 1;
  #unreported = 0;

  private constructor(socket: TLSSocket, streams: number) {
    this.#socket = socket;
    this.streams = streams;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection')));
    const settings = Buffer.alloc(12);
    settings.writeUInt16BE(SETTING.headerTableSize, 0);
    settings.writeUInt16BE(SETTING.initialWindowSize, 6);
    settings.writeUInt32BE(MAX_WINDOW, 8);
    const window = windowUpdate(MAX_WINDOW - FIRST_WINDOW);
    socket.write(Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, settings), window]));
  }

  static async open(target: Target, streams: number): Promise<Http2Connection> {
    return new Http2Connection(await connectTls(target, 'h2'), streams);
  }

  send(request: LoadRequest, listener: StreamListener = {}): Promise<LoadAnswer> {
    const id = this.#nextId;
    this.#nextId += 2;
    const { body } = request;
    const flags = END_HEADERS | (body === undefined ? END_STREAM : 0);
    const head = frame(FRAME.headers, flags, id, this.#blockOf(request));
    this.#socket.write(
      body === undefined ? head : Buffer.concat([head, frame(FRAME.data, END_STREAM, id, Buffer.from(body))]),
    );
    return new Promise((resolve, reject) => {
      this.#open.set(id, { status: 0, bytes: 0, listener, resolve, reject });
    });
  }

  close(): void {
    this.#open.clear();
    this.#socket.destroy();
  }

  #blockOf({ method, path, headers = {}, body }: LoadRequest): Buffer {
    const key = `${method} ${path} ${headers['content-type'] ?? ''} ${headers.accept ?? ''} ${body?.length ?? ''}`;
    let block = this.#blocks.get(key);
    if (block === undefined) {
      const pseudo = { ':method': method, ':scheme': 'https', ':authority': '127.0.0.1', ':path': path };
      const length = body && { 'content-length': String(body.length) };
      block = encodeHeaders({ ...pseudo, 'user-agent': 'bench', ...length, ...headers });
      if (this.#blocks.size < 100) this.#blocks.set(key, block);
    }
    return block;
  }

  #take(bytes: Buffer): void {
    let all = this.#carried.length === 0 ? bytes : Buffer.concat([this.#carried, bytes]);
    while (all.length >= HEAD_BYTES) {
      const length = all.readUIntBE(0, 3);
      if (all.length < HEAD_BYTES + length) break;
      this.#frame(all[3]!, all[4]!, all.readUInt32BE(5) & MAX_WINDOW, all.subarray(HEAD_BYTES, HEAD_BYTES + length));
      all = all.subarray(HEAD_BYTES + length);
    }
    this.#carried = all;
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    const stream = this.#open.get(id);
    if (type === FRAME.data) this.#data(stream, payload);
    else if (type === FRAME.headers && stream !== undefined) this.#head(stream, payload);
    else if (type === FRAME.settings && flags !== ACK) this.#socket.write(frame(FRAME.settings, ACK, 0, NOTHING));
    else if (type === FRAME.ping && flags !== ACK) this.#socket.write(frame(FRAME.ping, ACK, 0, payload));
    else if (type === FRAME.reset) stream?.reject(new Error(`The server reset a stream: ${payload.readUInt32BE(0)}`));
    else if (type === FRAME.goAway) this.#fail(new Error('The server is going away'));
    const isOver = (type === FRAME.data || type === FRAME.headers) && (flags & END_STREAM) !== 0;
    if (!isOver || stream === undefined) return;
    this.#open.delete(id);
    stream.resolve({ status: stream.status, bytes: stream.bytes });
  }

  #head(stream: Stream, payload: Buffer): void {
    stream.status ||= statusOf(payload);
    stream.listener.onHead?.();
  }

  #data(stream: Stream | undefined, payload: Buffer): void {
    if (stream !== undefined) {
      stream.bytes += payload.length;
      stream.listener.onData?.(payload);
    }
    this.#unreported += payload.length;
    if (this.#unreported < REPLENISH_BYTES) return;
    this.#socket.write(windowUpdate(this.#unreported));
    this.#unreported = 0;
  }

  #fail(error: Error): void {
    for (const stream of this.#open.values()) stream.reject(error);
    this.#open.clear();
  }
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const out = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  out.writeUIntBE(payload.length, 0, 3);
  out[3] = type;
  out[4] = flags;
  out.writeUInt32BE(stream, 5);
  out.set(payload, HEAD_BYTES);
  return out;
}

function windowUpdate(bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frame(FRAME.windowUpdate, 0, 0, payload);
}

/** Encodes HPACK literals without indexing. */
function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]);
  return Buffer.concat(fields);
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** Statuses in the static table of HPACK. Others come as text, because the dynamic table is disabled. */
const KNOWN_STATUSES: Readonly<Record<number, number>> = {
  8: 200,
  9: 204,
  10: 206,
  11: 304,
  12: 400,
  13: 404,
  14: 500,
};

function statusOf(block: Buffer): number {
  let at = 0;
  while ((block[at]! & 0xe0) === TABLE_RESIZED) at++;
  if ((block[at]! & 0x80) !== 0) return KNOWN_STATUSES[block[at]! & 0x7f] ?? Number.NaN;
  const length = block[at + 1]!;
  const value = block.subarray(at + 2, at + 2 + (length & 0x7f));
  return (length & 0x80) === 0 ? Number(value.toString('latin1')) : decodeDigits(value);
}

const TABLE_RESIZED = 0x20;

/** Decodes Huffman-coded digits: 0, 1 and 2 have five bits, the others six, beginning with 011. */
function decodeDigits(bytes: Buffer): number {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  for (let at = 0; digits.length < 3 && at < bits.length; ) {
    const isLong = bits.startsWith('011', at);
    const width = isLong ? 6 : 5;
    const code = Number.parseInt(bits.slice(at, at + width), 2);
    digits += isLong ? code - 0b011001 + 3 : code;
    at += width;
  }
  return Number(digits);
}
