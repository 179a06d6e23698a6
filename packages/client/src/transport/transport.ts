import { Chunks, joined } from '@pintle/http2';
import { ClientError } from '../errors.ts';
import type { MessageSocket, SocketRequest } from './message-socket.ts';

/** Request to a Kubernetes API. */
export interface TransportRequest {
  readonly method: string;
  /** Percent-encoded, absolute, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query?: string;
  /** Names are lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** Aborts the request in any state; reading its body then throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** Names are lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Holds a connection until it is read to its end, its iterator's `return` is called, or the request is aborted. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Destination of a transport. */
export interface TransportEndpoint {
  /** `https://10.0.0.1:6443` */
  readonly server: string;
  /** Resolves the host names. */
  readonly proxy?: string;
}

/**
 * Sends requests to a server; tests replace it. Resolves with any response of the server, also with errors; rejects with a
 * `ClientError` without one.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Opens a WebSocket, or resolves with the response of a server that refuses. Bypasses interceptors. */
  openSocket?(request: SocketRequest): Promise<MessageSocket | TransportResponse>;
  /** True when dead connections are found even while nothing is sent: a stream without data is then still alive. */
  readonly isProbed?: boolean;
  /** `undefined` for transports without sockets, and until it is known. */
  readonly endpoint?: TransportEndpoint | undefined;
  /** Closes all connections. May be called twice. */
  close?(): Promise<void>;
}

/** Wraps `send`: adds a header, counts, delays, records, refuses. */
export type Interceptor = (request: TransportRequest, next: Transport['send']) => Promise<TransportResponse>;

/** Wraps a transport. The first interceptor gets a request first and its response last. */
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

/** Returns the value of a header; several values are joined by commas. */
export function headerOf({ headers }: Pick<TransportResponse, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Body that can push its chunks, without a promise for each. */
export interface FlowingBody extends AsyncIterable<Uint8Array> {
  /** True when a chunk is overwritten after `take` has returned. */
  readonly isLending: boolean;
  /**
   * Calls `take` with each chunk, and resolves at the end. Rejects with an error that `take` throws, and closes the
   * connection.
   */
  flow(take: (chunk: Uint8Array) => void): Promise<void>;
}

/**
 * Calls `take` with each chunk of a body, without promises where the body can push. A chunk with `isLent` is overwritten after
 * `take` has returned.
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

/** Longest body that fits a string of Node.js. */
const MAX_BODY_BYTES = 500 * 1024 * 1024;

/** Returns the whole body. Throws a `ClientError`, and closes the connection, when it is larger than `maxBytes`. */
export async function readAll(
  { body }: Pick<TransportResponse, 'body'>,
  { maxBytes = MAX_BODY_BYTES }: { readonly maxBytes?: number } = {},
): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks = new Chunks();
  for await (const chunk of body) {
    chunks.push(chunk);
    if (chunks.bytes > maxBytes)
      throw new ClientError({ code: 'Unreadable', what: `the body is larger than ${maxBytes} bytes` });
  }
  return joined(chunks.take());
}

/** Reads and drops up to 64 KiB of a body, so that its connection can be used again. */
export async function discard({ body }: Pick<TransportResponse, 'body'>): Promise<void> {
  if (body instanceof Uint8Array) return;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) return;
  }
}

const MAX_DISCARDED_BYTES = 64 * 1024;
