import { constants } from 'node:crypto';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TlsOptions, Server as TlsServer } from 'node:tls';
import type { Clock } from '@pintle/async';
import { MAX_HEADER_FIELDS } from './headers.ts';
import { ServerConnection } from './http2/server-connection.ts';
import type { Http2Events } from './http2-connection.ts';

/** Limits for unauthenticated peers. Kubernetes' limits where those are not larger than necessary. */
export interface ServerLimits {
  /** Bytes of all headers of a request. */
  readonly maxHeaderBytes: number;
  /** Bytes of a path and its query. */
  readonly maxUrlBytes: number;
  /** Connections of all clients together. */
  readonly maxConnections: number;
  /** Time for a TLS handshake. */
  readonly handshakeTimeoutMs: number;
  /** Time for the headers of a request to arrive, and for the first request of an HTTP/2 connection. */
  readonly headersTimeoutMs: number;
  /** Time for a whole request to arrive, with its body. */
  readonly requestTimeoutMs: number;
  /** Time for which a connection may be idle. */
  readonly idleTimeoutMs: number;
  /** Interval of checks of the timeouts. */
  readonly checkIntervalMs: number;
  /** Time in which a client must read more of a response. */
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
  /** Certificate chain in PEM. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Authorities for client certificates, which are requested when this is set. Authentication decides about them. */
  readonly clientCa?: string;
}

/** Settings of TLS. */
export interface TlsSettings {
  /** Lowest version. Default TLSv1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Cipher suites by OpenSSL's names. Default: those with forward secrecy and AEAD. */
  readonly ciphers?: string;
  /** Serves HTTP/1.1 only. */
  readonly isHttp2Disabled?: boolean;
}

const CIPHERS =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20';

export interface ServerOptions extends ServerCertificates {
  readonly limits: ServerLimits;
  readonly tls?: TlsSettings;
  readonly clock: Clock;
  /** True to read nothing from new connections until they are served, since another process may serve them. */
  readonly isPaused?: boolean;
}

/**
 * Creates a TLS server for HTTP/1.1, by Node.js, and HTTP/2, by this server's own code. Errors of a peer end its connection
 * only.
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
  guard(server, options);
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

export function tlsOptionsOf({ limits, tls, isPaused, ...certificates }: ServerOptions): TlsOptions {
  return {
    ...(isPaused && { pauseOnConnect: true }),
    handshakeTimeout: limits.handshakeTimeoutMs,
    ...secureContextOf(certificates, tls),
    ...(certificates.clientCa !== undefined && { requestCert: true, rejectUnauthorized: false }),
  };
}

/** Returns the limits of HTTP/1.1 as options of Node.js servers. */
export function http1OptionsOf(limits: ServerLimits) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    // Node.js drops further headers silently: one more shows that the limit was exceeded.
    maxHeadersCount: MAX_HEADER_FIELDS + 1,
    // The listener checks Host: requests that Node.js refuses would not count as waiting.
    requireHostHeader: false,
    keepAliveTimeout: limits.idleTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  };
}

/** Adds listeners for errors of sockets, so that an error ends one connection only. */
export function guard(server: TlsServer, { limits, isPaused }: Pick<ServerOptions, 'limits' | 'isPaused'>): void {
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy());
    // Node.js pauses what is inside of a paused connection too.
    if (isPaused) socket.resume();
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  guardPlain(server, limits);
}

/** As `guard`, for a server without TLS. */
export function guardPlain(server: NetServer, limits: ServerLimits): void {
  server.maxConnections = limits.maxConnections;
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerMalformed(error, socket));
}

/** Returns the TLS context. Node.js resets the lowest version and the suites unless they are set with each certificate. */
export function secureContextOf(
  { certificate, privateKey, clientCa }: ServerCertificates,
  tls: TlsSettings | undefined,
): SecureContextOptions {
  return {
    minVersion: tls?.minVersion ?? 'TLSv1.2',
    ciphers: tls?.ciphers ?? CIPHERS,
    cert: certificate,
    key: privateKey,
    // As in Go: a client cannot change its certificate, or cause new keys, on an open connection.
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
