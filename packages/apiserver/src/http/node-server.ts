import type { Http2SecureServer, Http2Session, SecureServerOptions } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';

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

const HTTP2_STREAMS = 100;
const HTTP2_SESSION_MEGABYTES = 32;

/**
 * A server for HTTP/1.1 and HTTP/2 over TLS that no peer can bring down: every socket, session and stream has somebody
 * who listens for its errors, and each error is that peer's trouble alone. Streams of HTTP/2 are for whoever serves them,
 * who also knows which sessions are idle.
 */
export function createNodeServer(
  certificates: ServerCertificates,
  limits: ServerLimits,
  isIdle: (session: Http2Session) => boolean,
): Http2SecureServer {
  const { certificate, privateKey, clientCa } = certificates;
  const options: SecureServerOptions & Record<string, unknown> = {
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    ciphers: 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20',
    handshakeTimeout: limits.handshakeTimeoutMs,
    cert: certificate,
    key: privateKey,
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
    maxSessionMemory: HTTP2_SESSION_MEGABYTES,
    maxSessionInvalidFrames: 100,
    maxHeaderListPairs: 128,
    // Taken by newer Nodes; older ones have these limits built in.
    streamResetBurst: 200,
    streamResetRate: 20,
    settings: {
      maxConcurrentStreams: HTTP2_STREAMS,
      maxHeaderListSize: limits.maxHeaderBytes,
      initialWindowSize: 256 * 1024,
      enablePush: false,
    },
  };
  const server = createSecureServer(options);
  // These are read by the HTTP/1.1 half, which takes them from the server itself.
  Object.assign(server, {
    maxHeaderSize: limits.maxHeaderBytes,
    keepAliveTimeout: limits.idleTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxConnections: limits.maxConnections,
  });
  guard(server, limits, isIdle);
  return server;
}

function guard(server: Http2SecureServer, limits: ServerLimits, isIdle: (session: Http2Session) => boolean): void {
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
  });
  server.on('session', (session) => {
    session.on('error', () => session.destroy());
    session.setTimeout(limits.idleTimeoutMs, () => {
      if (isIdle(session)) session.close();
    });
  });
  server.on('sessionError', () => {});
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('unknownProtocol', (socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerMalformed(error, socket));
}

const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  const status = MALFORMED[error.code ?? ''] ?? '400 Bad Request';
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
