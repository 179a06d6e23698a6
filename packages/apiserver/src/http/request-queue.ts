import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** Requests that may wait on a connection. Further bytes are not parsed. */
const MAX_WAITING = 8;
const MAX_WAITING_BYTES = 64 * 1024;
/** Memory of a parsed request beside its text: the two objects of Node.js and ours, and two strings for each header. */
const REQUEST_BYTES = 4 * 1024;
const FIELD_BYTES = 32;
/** Bytes of a body that arrive before Node.js stops reading. */
const BODY_BYTES = 32 * 1024;
const BLANK_LINE = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** Limits on the requests that wait on all HTTP/1.1 connections together. */
export interface WaitingLimits {
  /** Limit for connections of unauthenticated clients. */
  readonly maxAnonymousBytes: number;
  /** Limit for all connections. */
  readonly maxBytes: number;
}

export const WAITING_LIMITS: WaitingLimits = { maxAnonymousBytes: 16 * 1024 * 1024, maxBytes: 64 * 1024 * 1024 };

/**
 * Bytes that wait on all connections together, counted separately for unauthenticated clients, which cannot use up the memory
 * of the others. At the limit, connections continue with one request at a time.
 */
export class WaitingBytes {
  readonly anonymous: Share;
  readonly known: Share;

  constructor({ maxAnonymousBytes, maxBytes }: WaitingLimits = WAITING_LIMITS) {
    this.anonymous = new Share(maxAnonymousBytes);
    this.known = new Share(maxBytes - maxAnonymousBytes);
  }
}

class Share {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }
}

interface Waiting {
  readonly begin: () => void;
  readonly bytes: number;
  readonly share: Share;
}

/**
 * Pipelined requests of one HTTP/1.1 connection. Each begins when the response to the one before has left: clients expect each
 * to see the effects of those before, and responses that cannot be sent take memory. A few parsed requests wait; meanwhile
 * further bytes stay unparsed, and in the end at the client:
 *
 *     socket ──► #rest ──► Node.js parser ──► enter ──► #waiting ──► begin
 *        ▲                    one request at a time       │
 *        └── paused while #waiting is full ◄──────────────┘
 *
 * Until a client sends a request before the response to the last one, the Node.js parser reads the connection itself, which is
 * faster. It parses one read (16 KB of TLS, 64 KB where Node.js had stopped reading a body) whole then; a connection that exceeds
 * its limit by that, while the limit of all connections is used up, is closed.
 */
export class RequestQueue {
  readonly #socket: TLSSocket;
  readonly #room: WaitingBytes;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  /** Last request that was parsed. */
  #last: IncomingMessage | undefined;
  /** The Node.js parser, once the queue feeds it. */
  #parse: ((bytes: Buffer) => void) | undefined;
  #isAwaitingResume = false;
  #rest: Buffer = NOTHING;
  #isFeeding = false;
  /** True when the queue has paused the socket because it is full. */
  #isHeld = false;
  #isReleased = false;
  #isKnown: boolean;

  constructor(socket: TLSSocket, room: WaitingBytes) {
    this.#socket = socket;
    this.#room = room;
    this.#isKnown = socket.authorized;
    socket.once('close', () => this.#close());
  }

  /** True when the queue feeds the parser. */
  get isFeeding(): boolean {
    return this.#parse !== undefined;
  }

  get socket(): TLSSocket {
    return this.#socket;
  }

  /** True when no request is being answered and the connection was not released. */
  get isIdle(): boolean {
    return !this.#isBusy && !this.#isReleased;
  }

  /** Marks the client as authenticated. */
  markKnown(): void {
    this.#isKnown = true;
  }

  /** Calls `begin` when the requests before have been answered, or the connection is closed. */
  enter(request: IncomingMessage, begin: () => void): void {
    this.#last = request;
    if (!this.#isBusy) {
      this.#isBusy = true;
      begin();
      return;
    }
    const share = this.#share;
    const bytes = bytesOf(request);
    this.#waiting.push({ begin, bytes, share });
    this.#waitingBytes += bytes;
    share.add(bytes);
    if (this.#waiting.length > MAX_WAITING && share.isFull) this.#socket.destroy();
    else this.#takeOver();
  }

  /** Begins the next request, after the response to the current one has left. */
  leave(): void {
    const next = this.#shift();
    if (next === undefined) this.#isBusy = false;
    else next.begin();
    if (this.#isHeld && this.#hasRoom && this.#waiting.length <= MAX_WAITING / 2) {
      this.#isHeld = false;
      this.#socket.resume();
    }
  }

  /** Stops reading the connection after an upgrade, and restores unparsed bytes. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#socket.off('data', this.#take).off('resume', this.#feed);
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest);
    this.#rest = NOTHING;
  }

  get #share(): Share {
    return this.#isKnown ? this.#room.known : this.#room.anonymous;
  }

  /** True when more may be parsed. A body is always parsed to its end: Node.js stops reading where it is not consumed. */
  get #hasRoom(): boolean {
    if (!this.#isBusy || this.#last?.complete === false) return true;
    return this.#waiting.length < MAX_WAITING && this.#waitingBytes < MAX_WAITING_BYTES && !this.#share.isFull;
  }

  /**
   * Takes over reading from the Node.js parser, which reads from the connection's handle until there is another `data` listener. Waits
   * while Node.js has paused the handle, which would not resume otherwise.
   */
  #takeOver(): void {
    const socket = this.#socket;
    if (this.#parse !== undefined || this.#isReleased || this.#isAwaitingResume) return;
    if (socket.isPaused()) {
      this.#isAwaitingResume = true;
      socket.once('resume', () => {
        this.#isAwaitingResume = false;
        this.#takeOver();
      });
      return;
    }
    const [parse] = socket.listeners('data');
    if (parse === undefined) throw new Error('Cannot read an HTTP/1.1 connection: it has no parser');
    this.#parse = (bytes) => parse.call(socket, bytes);
    socket.on('data', this.#take).on('resume', this.#feed);
    socket.off('data', parse as (bytes: Buffer) => void);
  }

  readonly #take = (bytes: Buffer): void => {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#feed();
  };

  /** Feeds one request after the other to the parser, until the queue is full or Node.js pauses it. */
  readonly #feed = (): void => {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    const socket = this.#socket;
    // Node.js reuses the parser of a closed connection for another.
    while (this.#rest.length > 0 && !this.#isReleased && !socket.isPaused() && socket.writable) {
      if (!this.#hasRoom) {
        this.#isHeld = true;
        socket.pause();
        break;
      }
      const blank = this.#rest.indexOf(BLANK_LINE);
      const end = blank === -1 ? this.#rest.length : blank + BLANK_LINE.length;
      const part = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      this.#parse!(part);
    }
    // No response can be sent any more.
    if (!socket.writable) this.#rest = NOTHING;
    this.#isFeeding = false;
  };

  #shift(): Waiting | undefined {
    const next = this.#waiting.shift();
    if (next === undefined) return undefined;
    this.#waitingBytes -= next.bytes;
    next.share.add(-next.bytes);
    return next;
  }

  #close(): void {
    this.#isReleased = true;
    this.#rest = NOTHING;
    for (let next = this.#shift(); next !== undefined; next = this.#shift()) next.begin();
  }
}

function bytesOf({ url = '', rawHeaders, headers }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length;
  for (const text of rawHeaders) bytes += text.length + FIELD_BYTES;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody ? bytes + BODY_BYTES : bytes;
}
