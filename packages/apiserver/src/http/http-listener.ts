import type { Clock, Eventual } from '@pintle/async';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import type { ServerCertificates, ServerLimits, TlsSettings } from './https-server.ts';

/** Who speaks HTTP/2: this server's own code, which is faster, or Node's `node:http2` (decision 52). */
export type Http2Choice = 'fast' | 'node';

export interface ListenOptions extends ServerCertificates {
  readonly handle: (request: ApiRequest) => Eventual<ApiResponse>;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly limits?: Partial<ServerLimits>;
  readonly tls?: TlsSettings;
  /** Default `fast`. */
  readonly http2?: Http2Choice;
  readonly clock?: Clock;
}

/**
 * HTTP/1.1 and HTTP/2 over TLS in front of `handle`, on a port that is bound. `describeListener` holds what every
 * listener promises: which requests reach `handle`, how answers leave, the limits, and how it stops.
 */
export interface HttpListener extends AsyncDisposable {
  /** The address and the port that are bound. */
  readonly address: string;
  readonly port: number;
  /** Shows these certificates to connections from now on. Throws, and changes nothing, when they do not fit together. */
  setCertificates(certificates: ServerCertificates): void;
  /** Stops accepting, lets requests in flight finish for up to `graceMs` (5 s), then cuts what is left. May be called twice. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
