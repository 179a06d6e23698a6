import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { ApiRequest } from '@pintle/apiserver';

/** A request to another server. */
export interface BackendRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: ApiRequest['body'];
  readonly signal: AbortSignal;
}

/** The head of its answer; the body follows. Destroying the body ends the request. */
export interface BackendAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** The connection itself, when the other side agreed to speak something else on it. */
  readonly socket?: Duplex;
  /** The first bytes that came on it. */
  readonly head?: Uint8Array;
}

/** The other side closed a connection just as it was taken for a request: that one was never read. */
export class StaleConnection extends Error {}

/** The other side answered with what no client may be given. */
export class BadAnswer extends Error {}
