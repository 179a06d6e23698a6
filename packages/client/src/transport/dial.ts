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

/** How to prove who the server is, and who we are. */
export interface TlsOptions {
  /** Authorities to trust, in PEM. Default: the system's. */
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** The name the server's certificate must have. Default: the host in its address. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}

export interface DialOptions {
  readonly server: URL;
  readonly tls?: TlsOptions;
  /** An HTTP, HTTPS or SOCKS 5 proxy to go through. */
  readonly proxy?: URL;
  readonly alpn: readonly string[];
  /**
   * What the time to connect, and to close a WebSocket, is taken by. A test that steps its own does not step the network:
   * default is the real one.
   */
  readonly clock?: Clock;
}

/** Where a socket puts what it reads, and whom it tells; otherwise every read gets a buffer of its own. */
export interface ReadInto {
  readonly buffer: Uint8Array;
  readonly callback: (bytes: number, buffer: Uint8Array) => boolean;
}

/** How often an idle connection is probed, so that one whose other end is gone is noticed. */
export const KEEP_ALIVE_MS = 30_000;
/** Who accepts a connection and then says nothing would otherwise be waited for without end. */
const DIAL_MS = 30_000;

/** Opens a connection to the server, secured if its address says so. Gives up after half a minute. */
export async function dial(options: DialOptions, readInto?: ReadInto): Promise<Socket> {
  const { server, clock = realClock } = options;
  const sockets: Socket[] = [];
  const deadline = clock.setTimer(DIAL_MS, () => {
    for (const socket of sockets) socket.destroy(new Error(`there is no connection after ${DIAL_MS / 1_000} s`));
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

/** Hears of every socket on the way, before it is open. */
type Begun = (socket: Socket) => void;

async function dialThrough(options: DialOptions, begun: Begun, readInto: ReadInto | undefined): Promise<Socket> {
  const { server, proxy, tls = {} } = options;
  const context = server.protocol === 'https:' ? contextOf(tls) : undefined;
  if (proxy === undefined) return prepared(await dialDirectly(options, context, begun, readInto));
  const socket = prepared(await tunnel(proxy, server, begun));
  return context === undefined ? socket : await secure({ socket }, options, context, begun);
}

function prepared(socket: Socket): Socket {
  return socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
}

function dialDirectly(
  options: DialOptions,
  context: SecureContext | undefined,
  begun: Begun,
  readInto: ReadInto | undefined,
): Promise<Socket> {
  const { server } = options;
  if (context === undefined) return dialTcp(server, begun, readInto);
  return secure({ port: portOf(server), ...(readInto && { onread: readInto }) }, options, context, begun);
}

function dialTcp(url: URL, begun: Begun, readInto?: ReadInto): Promise<Socket> {
  const socket = connectTcp({ host: hostOf(url), port: portOf(url), ...(readInto && { onread: readInto }) });
  begun(socket);
  return opened(socket, 'connect');
}

/** `way`: a socket that is open, or the port to open one to. */
async function secure(
  way: { readonly socket: Socket } | { readonly port: number; readonly onread?: ReadInto },
  { server, tls = {}, alpn }: DialOptions,
  secureContext: SecureContext,
  begun: Begun,
): Promise<TLSSocket> {
  const host = hostOf(server);
  const servername = tls.serverName ?? (isAddress(host) ? undefined : host);
  const options: ConnectionOptions = {
    ...way,
    secureContext,
    host,
    ALPNProtocols: [...alpn],
    rejectUnauthorized: tls.insecureSkipVerify !== true,
    ...(servername !== undefined && { servername }),
  };
  const socket = connectTls(options);
  begun(socket);
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
    throw new ClientError({ code: 'BadConfig', what: 'its certificates are of no use' }, { cause });
  }
}

/** Asks a proxy for a way through to the server; what the proxy says first must be that it is open. */
async function tunnel(proxy: URL, server: URL, begun: Begun): Promise<Socket> {
  const socket = await dialTcp(proxy, begun);
  try {
    if (proxy.protocol.startsWith('socks5')) return await tunnelBySocks(socket, proxy, server);
    return await tunnelByHttp(socket, proxy, server, begun);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function tunnelByHttp(plain: Socket, proxy: URL, server: URL, begun: Begun): Promise<Socket> {
  const socket =
    proxy.protocol === 'https:'
      ? await secure({ socket: plain }, { server: proxy, alpn: ['http/1.1'] }, contextOf({}), begun)
      : plain;
  const target = `${hostOf(server).includes(':') ? `[${hostOf(server)}]` : hostOf(server)}:${portOf(server)}`;
  const credentials = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization =
    proxy.username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const head = await readHead(socket);
  if (/^HTTP\/1\.[01] 200\b/.test(head)) return socket;
  throw new Error(`the proxy ${proxy.host} refused: ${head.split('\r\n', 1)[0]}`);
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
      } else if (head.length > MAX_HEAD_BYTES) done(new Error('the proxy said too much'));
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
      // Whoever uses the socket hears of later errors through its close.
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
