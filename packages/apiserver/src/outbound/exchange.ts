import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { Readable } from 'node:stream';

/** A request to another server. */
export interface OutboundRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Bytes may be sent a second time when a kept connection turns out to be closed; a stream may not. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** The head of a response; the body follows. Destroying the body ends the request. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** The connection itself, when the server agreed to speak another protocol on it. */
  readonly socket?: Duplex;
  /** The first bytes that came on it. */
  readonly head?: Uint8Array;
}

/** Why a response is refused. */
type OutboundFailure =
  | { readonly code: 'TooLong'; readonly maxBytes: number }
  | { readonly code: 'UnexpectedProtocol'; readonly protocol: string }
  | { readonly code: 'BrokenOff' };

/** A response that no caller is given. Failures of the connection itself are Node's errors. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure) {
    super(describe(failure));
    this.failure = failure;
  }
}

function describe(failure: OutboundFailure): string {
  switch (failure.code) {
    case 'TooLong':
      return `the response is longer than ${failure.maxBytes} bytes`;
    case 'UnexpectedProtocol':
      return `the backend switched to the protocol "${failure.protocol}", which was not asked for`;
    case 'BrokenOff':
      return 'Cannot read the answer: the backend broke off';
  }
}

/** The server closed a kept connection just as it was taken for a request, which was never read. */
export class StaleConnection extends Error {}

/** Sends the body of a request, as fast as the other side takes it. */
export function sendBody(request: Writable, body: OutboundRequest['body']): void {
  if (body instanceof Uint8Array) {
    if (!request.writableEnded) request.end(body);
    return;
  }
  const source = Readable.from(body, { objectMode: false });
  source.on('error', (error) => request.destroy(error));
  request.once('close', () => source.destroy());
  source.pipe(request);
}
