import type { Socket } from 'node:net';
import type { Clock, Eventual } from '@pintle/async';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import type { ServerCertificates, ServerLimits, TlsSettings } from './https-server.ts';

/** Implementation of HTTP/2: this server's own, which is faster, or `node:http2` (decision 52). */
export type Http2Choice = 'fast' | 'node';

export interface ListenOptions extends ServerCertificates {
  readonly handle: (request: ApiRequest) => Eventual<ApiResponse>;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Path of a Unix socket or a named pipe to listen on, in place of host and port. */
  readonly path?: string;
  /**
   * Called with each new connection, of which nothing has been read. Returns true when it goes to another process. Default:
   * none does.
   */
  readonly divert?: (socket: Socket) => boolean;
  readonly limits?: Partial<ServerLimits>;
  readonly tls?: TlsSettings;
  /** Default `fast`. */
  readonly http2?: Http2Choice;
  readonly clock?: Clock;
}

/** Options of a listener for other processes of this server, on a path in a folder that only they can open. */
export interface PrivateListenOptions extends Pick<ListenOptions, 'handle' | 'limits' | 'clock'> {
  readonly path: string;
}

/**
 * Serves `handle` by HTTP/1.1 and HTTP/2 over TLS, on a bound port. `describeListener` tests the contract of every listener:
 * which requests reach `handle`, how responses are sent, the limits, and how it stops.
 */
export interface HttpListener extends AsyncDisposable {
  /** Bound address and port; a path has port 0. */
  readonly address: string;
  readonly port: number;
  /** Serves a connection that another process accepted, and of which nothing has been read. */
  accept(socket: Socket): void;
  /** Uses these certificates for new connections. Throws, and changes nothing, when they do not match. */
  setCertificates(certificates: ServerCertificates): void;
  /** Stops accepting, waits up to `graceMs` (5 s) for requests in flight, then cuts the rest. May be called twice. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
