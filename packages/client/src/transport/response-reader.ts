import type { Headers } from './header-syntax.ts';
import { addHeader, isHeaderValue, isToken, MAX_INTERIMS, trimHeaderValue } from './header-syntax.ts';

/** Told what a response is made of, in order. */
export interface ResponseSink {
  head(head: ResponseHead): void;
  /** Bytes of the body, lent until this returns. */
  chunk(bytes: Buffer): void;
  end(): void;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  /** Whether the server means to take another request on the connection. */
  readonly isKeptAlive: boolean;
}

const MAX_HEAD_BYTES = 64 * 1024;
/** Of a line that says how long a chunk is, or of what comes after the last. */
const MAX_LINE_BYTES = 16 * 1024;
const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads one HTTP/1.1 response from the bytes of a connection, however they are cut. Takes only what RFC 9112 allows a
 * server to send: nothing is guessed, since two who read the same bytes differently is how responses get mixed up. Throws
 * an `Error` at bytes that are no response.
 */
export class ResponseReader {
  readonly #sink: ResponseSink;
  readonly #hasNoBody: boolean;
  #state: 'head' | 'sized' | 'unsized' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'done' = 'head';
  /** The beginning of a head or line whose end has not come: so much of the buffer, which grows by doubling. */
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  /** Of the body or the chunk; in the trailer, how much of it there was. */
  #left = 0;
  #interims = 0;

  constructor(method: string, sink: ResponseSink) {
    this.#sink = sink;
    this.#hasNoBody = method === 'HEAD';
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Reads on. Gives how many bytes belong to the response. */
  read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') at = this.#step(bytes, at);
    return at;
  }

  /** Nothing more will come. Throws when something is missing. */
  close(): void {
    if (this.#state === 'unsized') this.#end();
    else if (this.#state !== 'done') throw new Error('the connection was closed before the response was complete');
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'sized':
      case 'chunk':
        return this.#readSized(bytes, at);
      case 'unsized':
        this.#sink.chunk(bytes.subarray(at));
        return bytes.length;
      case 'head':
        return this.#readHead(bytes, at);
      default:
        return this.#readLine(bytes, at);
    }
  }

  #readSized(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#sink.chunk(bytes.subarray(at, end));
    if (this.#left > 0) return end;
    if (this.#state === 'chunk') this.#state = 'chunk-end';
    else this.#end();
    return end;
  }

  #readHead(bytes: Buffer, at: number): number {
    const held = this.#heldBytes;
    const head = this.#join(bytes, at);
    const end = head.indexOf('\r\n\r\n', Math.max(0, held - 3));
    if ((end < 0 ? head.length : end) > MAX_HEAD_BYTES) throw new Error('the head of the response is too long');
    if (end < 0) {
      this.#hold(head);
      return bytes.length;
    }
    this.#heldBytes = 0;
    this.#begin(head.toString('latin1', 0, end));
    return at + end + 4 - held;
  }

  #begin(text: string): void {
    const [statusLine = '', ...lines] = text.split('\r\n');
    const found = /^HTTP\/1\.([01]) ([1-9][0-9][0-9])(?: |$)/.exec(statusLine);
    if (found === null || !isHeaderValue(statusLine)) throw new Error('the answer is not of HTTP/1.1');
    const status = Number(found[2]);
    const headers = readHeaders(lines);
    if (status === 101) throw new Error('the server speaks another protocol, unasked');
    if (status < 200) {
      this.#interims++;
      if (this.#interims > MAX_INTERIMS) throw new Error('the server sends too many interim responses');
      return;
    }
    this.#setFraming(status, headers);
    const isKeptAlive = this.#state !== 'unsized' && isPersistent(found[1] === '1', headers);
    this.#sink.head({ status, headers, isKeptAlive });
    if (this.#state === 'sized' && this.#left === 0) this.#end();
  }

  #setFraming(status: number, headers: Headers): void {
    const coding = headers['transfer-encoding'];
    const length = headers['content-length'];
    if (coding !== undefined && length !== undefined) throw new Error('the response says its length twice');
    if (length !== undefined && !/^\d{1,15}$/.test(String(length)))
      throw new Error('the length of the response is none');
    if (this.#hasNoBody || status === 204 || status === 304) this.#state = 'sized';
    else if (coding !== undefined) {
      if (String(coding).toLowerCase() !== 'chunked') throw new Error('the response is encoded in an unknown way');
      this.#state = 'chunk-size';
    } else if (length === undefined) this.#state = 'unsized';
    else {
      this.#state = 'sized';
      this.#left = Number(length);
    }
  }

  /** A line of the chunked encoding. */
  #readLine(bytes: Buffer, at: number): number {
    const held = this.#heldBytes;
    const line = this.#join(bytes, at);
    const end = line.indexOf(NEWLINE, held);
    if ((end < 0 ? line.length : end) > MAX_LINE_BYTES) throw new Error('a line of the response is too long');
    if (end < 0) {
      this.#hold(line);
      return bytes.length;
    }
    this.#heldBytes = 0;
    if (line[end - 1] !== RETURN) throw new Error('a line of the response ends early');
    this.#takeLine(line.toString('latin1', 0, end - 1));
    return at + end + 1 - held;
  }

  #takeLine(line: string): void {
    if (this.#state === 'chunk-end') {
      if (line !== '') throw new Error('a chunk of the response is longer than it says');
      this.#state = 'chunk-size';
    } else if (this.#state === 'trailer') {
      this.#left += line.length;
      if (this.#left > MAX_LINE_BYTES) throw new Error('too much comes after the response');
      if (line === '') this.#end();
      else readHeaders([line]);
    } else {
      const size = /^([0-9a-f]{1,13})[ \t]*(?:;|$)/i.exec(line)?.[1];
      if (size === undefined) throw new Error('the length of a chunk is none');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    }
  }

  /** What was held and what has come, from there on. */
  #join(bytes: Buffer, at: number): Buffer {
    const come = at === 0 ? bytes : bytes.subarray(at);
    if (this.#heldBytes === 0) return come;
    const size = this.#heldBytes + come.length;
    if (size > this.#held.length) this.#held = Buffer.concat([this.#held.subarray(0, this.#heldBytes)], size * 2);
    come.copy(this.#held, this.#heldBytes);
    return this.#held.subarray(0, size);
  }

  #hold(joined: Buffer): void {
    if (this.#heldBytes === 0) this.#held = Buffer.from(joined);
    this.#heldBytes = joined.length;
  }

  #end(): void {
    this.#state = 'done';
    this.#sink.end();
  }
}

function readHeaders(lines: readonly string[]): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = line.slice(colon + 1);
    if (!isToken(name) || !isHeaderValue(value)) throw new Error('a header of the response is none');
    addHeader(headers, name, trimHeaderValue(value));
  }
  return headers;
}

function isPersistent(isNew: boolean, { connection = '' }: Headers): boolean {
  const wishes = String(connection)
    .toLowerCase()
    .split(',')
    .map((wish) => wish.trim());
  return isNew ? !wishes.includes('close') : wishes.includes('keep-alive');
}
