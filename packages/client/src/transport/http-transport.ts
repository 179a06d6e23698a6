import { abortable, type Clock, realClock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions, TlsOptions } from './dial.ts';
import type { DialedSocket } from './dialed-socket.ts';
import { dialSocket } from './dialed-socket.ts';
import type { MessageSocket, SocketRequest } from './message-socket.ts';
import type { Transport, TransportEndpoint, TransportRequest, TransportResponse } from './transport.ts';

export interface HttpTransportOptions {
  /** `https://10.0.0.1:6443`; a path in it is the prefix of all request paths. */
  readonly server: string;
  readonly tls?: TlsOptions;
  readonly proxy?: string;
  /** Default: HTTP/2 where the server offers it. */
  readonly protocol?: 'http/1.1';
  readonly clock?: Clock;
}

/** Open connections to the server, of one protocol. */
export interface Connections {
  send(request: TransportRequest, target: string): Promise<TransportResponse>;
  close(): Promise<void>;
}

/**
 * Sends requests over sockets. The first connection decides the protocol: with HTTP/2 all requests share a few connections
 * that are probed with pings, with HTTP/1.1 every active request has its own connection.
 */
export class HttpTransport implements Transport {
  readonly #server: URL;
  readonly #base: string;
  readonly #options: HttpTransportOptions;
  #connections: Promise<Connections> | undefined;
  #isClosed = false;
  #isProbed = false;

  constructor(options: HttpTransportOptions) {
    this.#server = toUrl(options.server, 'server');
    this.#base = this.#server.pathname.replace(/\/+$/, '');
    this.#options = options;
  }

  get endpoint(): TransportEndpoint {
    const { server, proxy } = this.#options;
    return { server, ...(proxy && { proxy }) };
  }

  get isProbed(): boolean {
    return this.#isProbed;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.#isClosed) throw new ClientError({ code: 'Closed', what: 'the transport' });
    const connections = await abortable(this.#connect(), request.signal);
    request.signal?.throwIfAborted();
    return await connections.send(request, this.#target(request));
  }

  /** Opens a new connection for the WebSocket. */
  async openSocket(request: SocketRequest): Promise<MessageSocket | TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.#isClosed) throw new ClientError({ code: 'Closed', what: 'the transport' });
    const { openMessageSocket } = await import('./message-socket.ts');
    return await openMessageSocket(this.#dialOptions(), this.#target(request), request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connections = await this.#connections?.catch(() => undefined);
    await connections?.close();
  }

  #connect(): Promise<Connections> {
    this.#connections ??= this.#open().catch((error: unknown) => {
      this.#connections = undefined;
      throw error;
    });
    return this.#connections;
  }

  #target({ path, query }: Pick<TransportRequest, 'path' | 'query'>): string {
    return `${this.#base}${path}${query ? `?${query}` : ''}`;
  }

  #dialOptions(): DialOptions {
    const { protocol, proxy, tls } = this.#options;
    const isSecure = this.#server.protocol === 'https:';
    return {
      server: this.#server,
      alpn: isSecure && protocol === undefined ? ['h2', 'http/1.1'] : ['http/1.1'],
      ...(tls && { tls }),
      ...(proxy && { proxy: toUrl(proxy, 'proxy') }),
    };
  }

  async #open(): Promise<Connections> {
    const { clock = realClock } = this.#options;
    const options = this.#dialOptions();
    if (!options.alpn.includes('h2')) return await this.#openHttp1(options, clock);
    const [dialed, { Http2Connections }] = await Promise.all([dialSocket(options), import('./http2-connections.ts')]);
    this.#isProbed = dialed.protocol === 'h2';
    return this.#isProbed
      ? new Http2Connections(options, dialed, clock)
      : await this.#openHttp1({ ...options, alpn: ['http/1.1'] }, clock, dialed);
  }

  async #openHttp1(options: DialOptions, clock: Clock, first?: DialedSocket): Promise<Connections> {
    const { Http1Connections } = await import('./http1-connections.ts');
    return new Http1Connections(options, clock, first?.release());
  }
}

const SCHEMES = {
  server: ['https:', 'http:'],
  proxy: ['https:', 'http:', 'socks5:', 'socks5h:'],
};

function toUrl(text: string, what: 'server' | 'proxy'): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && SCHEMES[what].includes(url.protocol) && url.hostname !== '') return url;
  throw new ClientError({ code: 'BadConfig', what: `${JSON.stringify(text)} is not a valid ${what} URL` });
}
