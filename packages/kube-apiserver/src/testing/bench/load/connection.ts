import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';

export type Protocol = 'http/1.1' | 'h2';

/** Address and client certificate of requests. */
export interface Target {
  readonly port: number;
  readonly authority: string;
  readonly client: { readonly certificate: string; readonly privateKey: string };
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
  const socket = connect({
    host: '127.0.0.1',
    port: target.port,
    ca: target.authority,
    cert: target.client.certificate,
    key: target.client.privateKey,
    ALPNProtocols: [protocol],
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return socket;
}
