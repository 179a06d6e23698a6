import { constants } from 'node:crypto';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TlsOptions, Server as TlsServer } from 'node:tls';
import type { Clock } from '@pintle/async';
import { MAX_HEADER_FIELDS } from './headers.ts';
import { ServerConnection } from './http2/server-connection.ts';
import type { Http2Events } from './http2-connection.ts';

/** What a peer may cost before it has said who it is. Kubernetes' own limits where they are not larger than needed. */
export interface ServerLimits {
  readonly maxHeaderBytes: number;
  readonly maxUrlBytes: number;
  readonly maxConnections: number;
  readonly handshakeTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** For all of a request to arrive, its body included. */
  readonly requestTimeoutMs: number;
  /** For a connection without a request. */
  readonly idleTimeoutMs: number;
  /** How often connections are held against their timeouts. */
  readonly checkIntervalMs: number;
  /** For a client to take some more of an answer. */
  readonly stallTimeoutMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  maxHeaderBytes: 64 * 1024,
  maxUrlBytes: 8 * 1024,
  maxConnections: 10_000,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 32_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 90_000,
  checkIntervalMs: 5_000,
  stallTimeoutMs: 60_000,
};

export interface ServerCertificates {
  /** PEM. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Client certificates are asked for when this is given; authentication decides what they are worth. */
  readonly clientCa?: string;
}

/** How TLS is spoken. */
export interface TlsSettings {
  /** Default TLSv1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** By OpenSSL's names. Default: those with forward secrecy and AEAD. */
  readonly ciphers?: string;
  /** Only HTTP/1.1 is spoken. */
  readonly isHttp2Disabled?: boolean;
}

const CIPHERS =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20';

export interface ServerOptions extends ServerCertificates {
  readonly limits: ServerLimits;
  readonly tls?: TlsSettings;
  readonly clock: Clock;
}

/**
 * A server for HTTP/1.1, which is Node's, over TLS that no peer can bring down. Connections on which HTTP/2 was agreed are read
 * by this server's own code.
 */
export function createHttpsServer(options: ServerOptions, events: Http2Events): Server {
  const { limits, clock, tls } = options;
  const server = createServer({
    ...tlsOptionsOf(options),
    ALPNProtocols: tls?.isHttp2Disabled ? ['http/1.1'] : ['h2', 'http/1.1'],
    ...http1OptionsOf(limits),
  });
  Object.assign(server, http1OptionsOf(limits));
  const serveHttp1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  guard(server, limits);
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol !== 'h2') {
      for (const serve of serveHttp1) serve.call(server, socket);
      return;
    }
    const { onStream } = events;
    events.onConnection(new ServerConnection(socket, { clock, maxHeaderBytes: limits.maxHeaderBytes, onStream }));
  });
  return server;
}

export function tlsOptionsOf({ limits, tls, ...certificates }: ServerOptions): TlsOptions {
  return {
    handshakeTimeout: limits.handshakeTimeoutMs,
    ...secureContextOf(certificates, tls),
    ...(certificates.clientCa !== undefined && { requestCert: true, rejectUnauthorized: false }),
  };
}

/** The limits of the HTTP/1.1 half, by the names that Node's servers have for them. */
export function http1OptionsOf(limits: ServerLimits) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    // Node forgets what is beyond: with one more, it can be told that there was something.
    maxHeadersCount: MAX_HEADER_FIELDS + 1,
    // The listener looks at Host itself: what Node refuses on its own, it does not count as waiting.
    requireHostHeader: false,
    keepAliveTimeout: limits.idleTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  };
}

/** Gives every socket a listener for its errors: each error is that peer's trouble alone. */
export function guard(server: TlsServer, limits: ServerLimits): void {
  server.maxConnections = limits.maxConnections;
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
  });
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerMalformed(error, socket));
}

/** The TLS context of a server. Node forgets the least version and the suites unless they are given with each new certificate. */
export function secureContextOf(
  { certificate, privateKey, clientCa }: ServerCertificates,
  tls: TlsSettings | undefined,
): SecureContextOptions {
  return {
    minVersion: tls?.minVersion ?? 'TLSv1.2',
    ciphers: tls?.ciphers ?? CIPHERS,
    cert: certificate,
    key: privateKey,
    // As in Go: nobody becomes another client, or has keys made anew, on a connection that is open.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(clientCa !== undefined && { ca: clientCa }),
  };
}

const MALFORMED: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  const status = MALFORMED.get(error.code) ?? '400 Bad Request';
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
