import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';

export type Protocol = 'http/1.1' | 'h2';

/** Where requests go, and who sends them. */
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

/** One connection, as light as can be: the server's work is to be measured, not the client's. Bodies are counted. */
export interface Connection {
  /** How many requests may be under way. */
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
