import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';

export type Protocol = 'http/1.1' | 'h2';

/** Address of a server, and the client certificate for it. */
export interface Target {
  /** Default: this machine. */
  readonly host?: string;
  readonly port: number;
  /** Authority of the server's certificate, in PEM. Without it the certificate is not verified. */
  readonly authority?: string;
  readonly client?: { readonly certificate: string; readonly privateKey: string };
}

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface LoadAnswer {
  readonly status: number;
  readonly bytes: number;
}

/**
 * One connection with little overhead, because the server's work is measured, not the client's. Bodies are only
 * counted.
 */
export interface Connection {
  /** Requests that may be in flight. */
  readonly streams: number;
  send(request: LoadRequest): Promise<LoadAnswer>;
  close(): void;
}

export async function connectTls(target: Target, protocol: Protocol): Promise<TLSSocket> {
  const { host = '127.0.0.1', port, authority, client } = target;
  const socket = connect({
    host,
    port,
    ...(authority === undefined ? { rejectUnauthorized: false } : { ca: authority }),
    ...(client && { cert: client.certificate, key: client.privateKey }),
    ALPNProtocols: [protocol],
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return socket;
}
