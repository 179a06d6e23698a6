import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { constants, createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import type { Clock, Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import type { Field, Reason } from '@pintle/http2';
import { headerListBytes } from '@pintle/http2';
import type { ApiResponse } from '../request/exchange.ts';
import type { RequestHead } from './headers.ts';
import { MAX_HEADER_FIELDS, requestHeadOf } from './headers.ts';
import type { OpenExchange } from './http-exchange.ts';
import { dropRest, sendResponse, takesBody } from './http-exchange.ts';
import { MAX_STREAMS, STREAM_WINDOW_BYTES } from './http2/server-connection.ts';
import type { Http2Connection, Http2Events, Http2Stream } from './http2-connection.ts';
import type { ServerOptions } from './https-server.ts';
import { guard, http1OptionsOf, tlsOptionsOf } from './https-server.ts';
import { IncomingBody } from './incoming-body.ts';

const MAX_SESSION_MEGABYTES = 32;
const MAX_INVALID_FRAMES = 100;

/** Creates a TLS server for HTTP/1.1 and HTTP/2 by Node.js. */
export function createNodejsServer(options: ServerOptions, events: Http2Events): Server {
  const { limits, clock } = options;
  const headerLimits = { maxBytes: limits.maxHeaderBytes, maxFields: MAX_HEADER_FIELDS };
  const server = createSecureServer({
    ...tlsOptionsOf(options),
    allowHTTP1: true,
    maxSessionMemory: MAX_SESSION_MEGABYTES,
    maxSessionInvalidFrames: MAX_INVALID_FRAMES,
    // Beyond this Node.js resets the stream. Up to it, the response is 431.
    maxHeaderListPairs: 2 * MAX_HEADER_FIELDS,
    settings: {
      enablePush: false,
      maxConcurrentStreams: MAX_STREAMS,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: headerListBytes(headerLimits),
    },
  });
  // Otherwise Node.js emits a `request` for every stream once there is a listener for it.
  server.removeAllListeners('newListener');
  Object.assign(server, http1OptionsOf(limits));
  guard(server, options);
  server.on('sessionError', () => {});
  // A session's `socket` cannot be used after its end. Node.js emits both events in succession.
  let accepted: Socket;
  server.prependListener('secureConnection', (socket) => {
    accepted = socket;
  });
  server.on('session', (session) => {
    events.onConnection(new NodejsConnection(session, accepted, { clock, headerLimits, events }));
  });
  return server;
}

interface SessionOptions {
  readonly clock: Clock;
  readonly headerLimits: { readonly maxBytes: number; readonly maxFields: number };
  readonly events: Http2Events;
}

class NodejsConnection implements Http2Connection {
  readonly socket: Socket;
  readonly #session: ServerHttp2Session;
  readonly #options: SessionOptions;
  #streams = 0;
  #hadStreams = false;
  #busyAtMs: number;

  constructor(session: ServerHttp2Session, socket: Socket, options: SessionOptions) {
    this.socket = socket;
    this.#session = session;
    this.#options = options;
    this.#busyAtMs = options.clock.monotonic();
    session.on('error', () => session.destroy());
    const onStream = (stream: ServerHttp2Stream, _headers: unknown, _flags: unknown, rawHeaders: string[]): void =>
      this.#open(stream, fieldsOf(rawHeaders));
    session.on('stream', onStream as () => void);
  }

  get isIdle(): boolean {
    return this.#streams === 0;
  }

  /** Does nothing: Node.js has one limit on empty frames for all clients. */
  markKnown(): void {}

  close(): void {
    this.#session.close();
  }

  closeIfIdleSince(timeMs: number, { firstMs = timeMs }: { readonly firstMs?: number } = {}): void {
    if (!this.isIdle || this.#busyAtMs >= (this.#hadStreams ? timeMs : firstMs)) return;
    if (this.#session.closed) this.#session.destroy();
    else this.#session.close();
  }

  #open(stream: ServerHttp2Stream, fields: readonly Field[]): void {
    this.#streams++;
    this.#hadStreams = true;
    stream.on('error', () => {});
    stream.once('close', () => {
      this.#streams--;
      this.#busyAtMs = this.#options.clock.monotonic();
    });
    const isTooLarge = this.#isTooLarge(fields);
    const head = isTooLarge ? undefined : requestHeadOf(fields);
    if (isTooLarge) stream.respond({ ':status': 431 }, { endStream: true });
    else if (head === undefined) stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
    else {
      if (head.headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
      this.#options.events.onStream(new NodejsStream(stream, head), this);
    }
  }

  #isTooLarge(fields: readonly Field[]): boolean {
    const { maxBytes, maxFields } = this.#options.headerLimits;
    return (
      fields.length > maxFields || fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > maxBytes
    );
  }
}

class NodejsStream implements Http2Stream {
  readonly head: RequestHead;
  readonly body: IncomingBody;
  onClose: () => void = () => {};
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, head: RequestHead) {
    this.head = head;
    this.body = new IncomingBody(stream, head.length === undefined ? undefined : String(head.length));
    this.#stream = stream;
    stream.once('close', () => this.onClose());
    // Begins to read the body, so that what arrived with the headers is available.
    if (takesBody(head.method)) stream.read(0);
  }

  answer(response: ApiResponse, exchange: OpenExchange): Eventual<void> {
    const stream = this.#stream;
    return after(sendResponse(stream, response, exchange, { isHead: this.head.method === 'HEAD' }), () => {
      dropRest(stream, () => stream.close());
      // The rest of the request has not arrived.
      if (!stream.readableEnded && !stream.closed) exchange.handOver();
    });
  }

  reset(reason: Reason): void {
    this.#stream.close(constants[`NGHTTP2_${reason}`]);
  }
}

/** Returns fields from alternating names and values. */
function fieldsOf(rawHeaders: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) fields.push([rawHeaders[i]!, rawHeaders[i + 1]!]);
  return fields;
}
