import { Chunks, joined } from '@pintle/http2';
import { ClientError } from '../errors.ts';
import type { MessageSocket, SocketRequest } from './message-socket.ts';

/** A request to a Kubernetes API, wherever it is. */
export interface TransportRequest {
  readonly method: string;
  /** Percent-encoded, absolute, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query?: string;
  /** Names are lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** Ends the request, whatever state it is in; a body that is being read then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** Names are lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Read it to its end, call its iterator's `return`, or abort the request: until then it holds a connection. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Where a transport's requests go. */
export interface TransportEndpoint {
  /** `https://10.0.0.1:6443` */
  readonly server: string;
  /** Names are then found there, not here. */
  readonly proxy?: string;
}

/**
 * The way to a server, and the seam that tests replace. Resolves with whatever the server answers, errors too; rejects
 * with a `ClientError` when there is no answer.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Opens a WebSocket, or gives the answer of a server that does not. Interceptors do not see it. */
  openSocket?(request: SocketRequest): Promise<MessageSocket | TransportResponse>;
  /** A connection whose other end is gone is noticed even while nothing is sent: a silent stream is a quiet one. */
  readonly isProbed?: boolean;
  /** Where requests go; absent where no socket is on the way, and until it is known. */
  readonly endpoint?: TransportEndpoint | undefined;
  /** Ends what is still open. May be called twice. */
  close?(): Promise<void>;
}

/** Wraps a transport: adds a header, counts, delays, records, refuses. */
export type Interceptor = (request: TransportRequest, next: Transport['send']) => Promise<TransportResponse>;

/** The first interceptor sees a request first and its answer last. */
export function intercept(transport: Transport, ...interceptors: readonly Interceptor[]): Transport {
  const send = interceptors.reduceRight<Transport['send']>(
    (next, interceptor) => (request) => interceptor(request, next),
    (request) => transport.send(request),
  );
  return {
    send,
    ...(transport.openSocket && { openSocket: (request: SocketRequest) => transport.openSocket!(request) }),
    get isProbed() {
      return transport.isProbed === true;
    },
    get endpoint() {
      return transport.endpoint;
    },
    close: async () => await transport.close?.(),
  };
}

/** The header's value; several are joined by a comma. */
export function headerOf({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/** A body that can be had without waiting for each piece of it. */
export interface FlowingBody extends AsyncIterable<Uint8Array> {
  /** A chunk is overwritten once `take` has returned. */
  readonly isLending: boolean;
  /**
   * Calls `take` with the chunks as they come, and resolves at the end. What `take` throws is thrown, and gives up the
   * connection.
   */
  flow(take: (chunk: Uint8Array) => void): Promise<void>;
}

/**
 * Gives the chunks of a body as they come, by the quickest way it has. One that `isLent` is overwritten once `take` has
 * returned.
 */
export async function flow(
  body: TransportResponse['body'],
  take: (chunk: Uint8Array, isLent: boolean) => void,
): Promise<void> {
  if (body instanceof Uint8Array) take(body, false);
  else if (isFlowing(body)) await body.flow((chunk) => take(chunk, body.isLending));
  else for await (const chunk of body) take(chunk, false);
}

function isFlowing(body: AsyncIterable<Uint8Array>): body is FlowingBody {
  return typeof (body as Partial<FlowingBody>).flow === 'function';
}

/** More than this could not be made a text of, nor be read as JSON. */
const MAX_BODY_BYTES = 500 * 1024 * 1024;

/** The whole body. Throws, and lets go of the connection, when there is more than so much of it. */
export async function readAll(
  { body }: Pick<TransportResponse, 'body'>,
  { maxBytes = MAX_BODY_BYTES }: { readonly maxBytes?: number } = {},
): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks = new Chunks();
  for await (const chunk of body) {
    chunks.push(chunk);
    if (chunks.bytes > maxBytes)
      throw new ClientError({ code: 'Unreadable', what: `a body of more than ${maxBytes} bytes` });
  }
  return joined(chunks.take());
}

/** Reads what is left of a body that nobody wants, so that its connection can be used again; not if it is long. */
export async function discard({ body }: Pick<TransportResponse, 'body'>): Promise<void> {
  if (body instanceof Uint8Array) return;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) return;
  }
}

const MAX_DISCARDED_BYTES = 64 * 1024;
