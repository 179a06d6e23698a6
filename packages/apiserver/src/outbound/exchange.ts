import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { Readable } from 'node:stream';

/** A request to another server. */
export interface OutboundRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Bytes may be sent again when a kept connection turns out to be closed; a stream cannot. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** A response, whose body follows. Destroying the body ends the request. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** Connection, when the server accepted an upgrade. */
  readonly socket?: Duplex;
  /** First bytes after the upgrade. */
  readonly head?: Uint8Array;
}

/** Bound of interim (1xx) responses before the final one. */
const MAX_INTERIMS = 32;

/** Returns a listener for interim responses, which calls `refuse` when there are too many. */
export function interimCounter(refuse: (error: OutboundError) => void): () => void {
  let count = 0;
  return () => {
    count++;
    if (count > MAX_INTERIMS) refuse(new OutboundError({ code: 'TooManyInterims' }));
  };
}

/** Reason why a response is refused. */
type OutboundFailure =
  | { readonly code: 'TooLong'; readonly maxBytes: number }
  | { readonly code: 'TooManyInterims' }
  | { readonly code: 'UnexpectedProtocol'; readonly protocol: string }
  | { readonly code: 'BrokenOff' };

/** A refused response. Failures of the connection are errors of Node.js. */
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
    case 'TooManyInterims':
      return `the backend sent more than ${MAX_INTERIMS} interim responses`;
    case 'UnexpectedProtocol':
      return `the backend switched to the protocol "${failure.protocol}", which was not asked for`;
    case 'BrokenOff':
      return 'Cannot read the answer: the backend broke off';
  }
}

/** The server closed a kept connection before it read the request. */
export class StaleConnection extends Error {}

/** Sends the body of a request with back-pressure. */
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
