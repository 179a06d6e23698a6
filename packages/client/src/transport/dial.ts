import { connect as connectTcp, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { type Clock, realClock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import { connectBySocks } from './socks.ts';

/** Certificates of both sides. */
export interface TlsOptions {
  /** Trusted certificate authorities, in PEM. Default: those of the system. */
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** Name that the server's certificate must have. Default: the host of its URL. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}

export interface DialOptions {
  readonly server: URL;
  readonly tls?: TlsOptions;
  /** HTTP, HTTPS or SOCKS 5 proxy. */
  readonly proxy?: URL;
  readonly alpn: readonly string[];
  /**
   * Clock of the timeouts for connecting and for closing WebSockets. Default: the real clock, because a stepped clock does
   * not step the network.
   */
  readonly clock?: Clock;
}

/** `onread` option of Node.js sockets: reads into one buffer instead of allocating one for each read. */
export interface ReadInto {
  readonly buffer: Uint8Array;
  readonly callback: (bytes: number, buffer: Uint8Array) => boolean;
}

/** Idle time before TCP keep-alive probes, which find connections whose peer is gone. */
export const KEEP_ALIVE_MS = 30_000;
/** Timeout for connecting, including the proxy and TLS. */
const DIAL_MS = 30_000;

/** Opens a connection to the server, with TLS for https URLs. Rejects with a `ClientError` after 30 seconds. */
export async function dial(options: DialOptions, readInto?: ReadInto): Promise<Socket> {
  const { server, clock = realClock } = options;
  const sockets: Socket[] = [];
  const deadline = clock.setTimer(DIAL_MS, () => {
    for (const socket of sockets) socket.destroy(new Error(`connecting timed out after ${DIAL_MS / 1_000} s`));
  });
  try {
    return await dialThrough(options, (socket) => sockets.push(socket), readInto);
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    throw new ClientError({ code: 'Unreachable', server: server.origin, isSent: false }, { cause });
  } finally {
    deadline.cancel();
  }
}

/** Called with every socket before it is open. */
type OnSocket = (socket: Socket) => void;

async function dialThrough(options: DialOptions, onSocket: OnSocket, readInto: ReadInto | undefined): Promise<Socket> {
  const { server, proxy, tls = {} } = options;
  const context = server.protocol === 'https:' ? contextOf(tls) : undefined;
  if (proxy === undefined) return withKeepAlive(await dialDirectly(options, context, onSocket, readInto));
  const socket = withKeepAlive(await tunnel(proxy, server, onSocket));
  return context === undefined ? socket : await secure({ socket }, options, context, onSocket);
}

function withKeepAlive(socket: Socket): Socket {
  return socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
}

function dialDirectly(
  options: DialOptions,
  context: SecureContext | undefined,
  onSocket: OnSocket,
  readInto: ReadInto | undefined,
): Promise<Socket> {
  const { server } = options;
  if (context === undefined) return dialTcp(server, onSocket, readInto);
  return secure({ port: portOf(server), ...(readInto && { onread: readInto }) }, options, context, onSocket);
}

function dialTcp(url: URL, onSocket: OnSocket, readInto?: ReadInto): Promise<Socket> {
  const socket = connectTcp({ host: hostOf(url), port: portOf(url), ...(readInto && { onread: readInto }) });
  onSocket(socket);
  return opened(socket, 'connect');
}

/** `over` is an open socket, or the port to connect to. */
async function secure(
  over: { readonly socket: Socket } | { readonly port: number; readonly onread?: ReadInto },
  { server, tls = {}, alpn }: DialOptions,
  secureContext: SecureContext,
  onSocket: OnSocket,
): Promise<TLSSocket> {
  const host = hostOf(server);
  const servername = tls.serverName ?? (isAddress(host) ? undefined : host);
  const options: ConnectionOptions = {
    ...over,
    secureContext,
    host,
    ALPNProtocols: [...alpn],
    rejectUnauthorized: tls.insecureSkipVerify !== true,
    ...(servername !== undefined && { servername }),
  };
  const socket = connectTls(options);
  onSocket(socket);
  return await opened(socket, 'secureConnect');
}

function contextOf({ ca, cert, key }: TlsOptions): SecureContext {
  try {
    return createSecureContext({
      ...(ca && { ca: Buffer.from(ca) }),
      ...(cert && { cert: Buffer.from(cert) }),
      ...(key && { key: Buffer.from(key) }),
    });
  } catch (cause) {
    throw new ClientError({ code: 'BadConfig', what: 'the certificates or the key cannot be loaded' }, { cause });
  }
}

/** Opens a tunnel to the server through a proxy. */
async function tunnel(proxy: URL, server: URL, onSocket: OnSocket): Promise<Socket> {
  const socket = await dialTcp(proxy, onSocket);
  try {
    if (proxy.protocol.startsWith('socks5')) return await tunnelBySocks(socket, proxy, server);
    return await tunnelByHttp(socket, proxy, server, onSocket);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function tunnelByHttp(plain: Socket, proxy: URL, server: URL, onSocket: OnSocket): Promise<Socket> {
  const socket =
    proxy.protocol === 'https:'
      ? await secure({ socket: plain }, { server: proxy, alpn: ['http/1.1'] }, contextOf({}), onSocket)
      : plain;
  const target = `${hostOf(server).includes(':') ? `[${hostOf(server)}]` : hostOf(server)}:${portOf(server)}`;
  const credentials = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization =
    proxy.username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const head = await readHead(socket);
  if (/^HTTP\/1\.[01] 200\b/.test(head)) return socket;
  throw new Error(`proxy ${proxy.host} refused CONNECT: ${head.split('\r\n', 1)[0]}`);
}

async function tunnelBySocks(socket: Socket, proxy: URL, server: URL): Promise<Socket> {
  const [username, password] = [proxy.username, proxy.password].map(decodeURIComponent) as [string, string];
  await connectBySocks(socket, { host: hostOf(server), port: portOf(server), username, password });
  return socket;
}

const MAX_HEAD_BYTES = 16 * 1024;

function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const done = (error?: Error): void => {
      socket.off('data', onData).off('error', done).off('close', onClose);
      socket.pause();
      if (error) reject(error);
      else resolve(head.toString('latin1'));
    };
    const onClose = (): void => done(new Error('the proxy closed the connection'));
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end >= 0) {
        if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
        done();
      } else if (head.length > MAX_HEAD_BYTES)
        done(new Error(`the response of the proxy is larger than ${MAX_HEAD_BYTES} bytes`));
    };
    socket.on('data', onData).on('error', done).on('close', onClose);
  });
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.once('error', onError);
    socket.once(event, () => {
      socket.off('error', onError);
      // Later errors are reported by `close`.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  if (url.protocol.startsWith('socks5')) return 1080;
  return url.protocol === 'https:' ? 443 : 80;
}

function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
