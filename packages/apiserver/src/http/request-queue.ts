import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** With more than this waiting on a connection, the rest of what its client sends is not parsed. */
const MAX_WAITING = 8;
const MAX_WAITING_BYTES = 64 * 1024;
/** The memory of a parsed request beside its text: Node's two objects and ours, and two strings for each header. */
const REQUEST_BYTES = 4 * 1024;
const FIELD_BYTES = 32;
/** So much of a body arrives before Node stops reading it. */
const BODY_BYTES = 32 * 1024;
const BLANK_LINE = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** Bounds of what waits on all connections of HTTP/1.1 together. */
export interface WaitingLimits {
  /** On connections whose client has not authenticated yet. */
  readonly maxStrangerBytes: number;
  readonly maxBytes: number;
}

export const WAITING_LIMITS: WaitingLimits = { maxStrangerBytes: 16 * 1024 * 1024, maxBytes: 64 * 1024 * 1024 };

/**
 * The bytes that wait on all connections together, strangers and others apart, so that strangers cannot use up the room
 * of the others. Where there is no room left, connections go on with one request at a time.
 */
export class WaitingBytes {
  readonly strangers: Share;
  readonly known: Share;

  constructor({ maxStrangerBytes, maxBytes }: WaitingLimits = WAITING_LIMITS) {
    this.strangers = new Share(maxStrangerBytes);
    this.known = new Share(maxBytes - maxStrangerBytes);
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
 * The requests of one connection of HTTP/1.1. Each is begun when the answer to the one before has left: clients may send
 * several at once and expect each to see what those before it did, and answers that the connection cannot take yet take
 * memory. A few parsed requests wait; while they do, further bytes stay unparsed, and in the end with the client:
 *
 *     socket ──► #rest ──► Node's parser ──► enter ──► #waiting ──► begin
 *        ▲                    one request at a time       │
 *        └── paused while #waiting has no room ◄──────────┘
 *
 * Until a client sends a request before the answer to the last one, Node's parser reads the connection itself, which is
 * faster. One read (16 KB of TLS, 64 KB where Node had stopped reading a body) is parsed whole then; a connection that
 * brings too much with it while the room of all connections is used up is cut.
 */
export class RequestQueue {
  readonly #socket: TLSSocket;
  readonly #room: WaitingBytes;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  /** The request that the parser has read the head of last. */
  #last: IncomingMessage | undefined;
  /** Node's parser, once its bytes go through here. */
  #parse: ((bytes: Buffer) => void) | undefined;
  #isAwaitingResume = false;
  #rest: Buffer = NOTHING;
  #isFeeding = false;
  /** The socket was paused here, because nothing more may wait. */
  #isHeld = false;
  #isReleased = false;
  #isKnown: boolean;

  constructor(socket: TLSSocket, room: WaitingBytes) {
    this.#socket = socket;
    this.#room = room;
    this.#isKnown = socket.authorized;
    socket.once('close', () => this.#close());
  }

  /** The connection's bytes are handed to the parser from here. */
  get isFeeding(): boolean {
    return this.#parse !== undefined;
  }

  get socket(): TLSSocket {
    return this.#socket;
  }

  /** Whether no request is being answered, and the connection was not handed over. */
  get isIdle(): boolean {
    return !this.#isBusy && !this.#isReleased;
  }

  /** Notes that the client has authenticated. */
  markKnown(): void {
    this.#isKnown = true;
  }

  /** Calls `begin` when it is this request's turn, or the connection is gone. */
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

  /** The answer to the request whose turn it is has left. */
  leave(): void {
    const next = this.#shift();
    if (next === undefined) this.#isBusy = false;
    else next.begin();
    if (this.#isHeld && this.#hasRoom && this.#waiting.length <= MAX_WAITING / 2) {
      this.#isHeld = false;
      this.#socket.resume();
    }
  }

  /** The connection is no longer one of HTTP. What was not parsed is put back. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#socket.off('data', this.#take).off('resume', this.#feed);
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest);
    this.#rest = NOTHING;
  }

  get #share(): Share {
    return this.#isKnown ? this.#room.known : this.#room.strangers;
  }

  /** A body has to be parsed to its end, whoever waits: Node stops reading where nobody takes it. */
  get #hasRoom(): boolean {
    if (!this.#isBusy || this.#last?.complete === false) return true;
    return this.#waiting.length < MAX_WAITING && this.#waitingBytes < MAX_WAITING_BYTES && !this.#share.isFull;
  }

  /**
   * Node's parser takes its bytes from the connection's handle until somebody else listens for them; it gets them from
   * here then. A handle that Node has paused would not go on, so that waits until it is resumed.
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
    if (parse === undefined) throw new Error('Cannot read a connection of HTTP/1.1: it has no parser');
    this.#parse = (bytes) => parse.call(socket, bytes);
    socket.on('data', this.#take).on('resume', this.#feed);
    socket.off('data', parse as (bytes: Buffer) => void);
  }

  readonly #take = (bytes: Buffer): void => {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#feed();
  };

  /** Hands the parser one request after the other, for as long as there is room and Node does not pause it. */
  readonly #feed = (): void => {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    const socket = this.#socket;
    // A parser outlives its connection: Node gives it to the next one.
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
    // Nobody can be answered any more.
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
