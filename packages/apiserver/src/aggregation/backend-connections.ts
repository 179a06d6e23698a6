import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, type RequestOptions, request as sendRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import type { ApiRequest } from '../http/exchange.ts';
import type { ServiceAddress, ServiceResolver } from '../webhook/index.ts';
import { checkIdentity } from '../webhook/server-identity.ts';
import type { RemoteApi } from './remote-api.ts';
import { serverNameOf } from './remote-api.ts';

/** What this server shows to those it passes requests on to, so that they believe who it says a user is. */
export interface ProxyClientCertificate {
  /** In PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

export interface BackendRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: ApiRequest['body'];
  readonly signal: AbortSignal;
}

export interface BackendAnswer {
  readonly message: IncomingMessage;
  /** The connection itself, when the other side agreed to speak something else on it. */
  readonly socket?: Duplex;
  /** The first bytes that came on it. */
  readonly head?: Uint8Array;
}

/** Connections to one server at a time; watches hold one each. */
const MAX_CONNECTIONS = 1024;
const MAX_IDLE_CONNECTIONS = 16;

/**
 * Speaks to the servers behind services: always over TLS, only to what the service resolves to, never along a redirect.
 */
export class BackendConnections {
  readonly #resolve: ServiceResolver;
  readonly #certificate: ProxyClientCertificate | undefined;
  readonly #agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    scheduling: 'lifo',
  });

  constructor(resolve: ServiceResolver, certificate: ProxyClientCertificate | undefined) {
    this.#resolve = resolve;
    this.#certificate = certificate;
  }

  /** Where the server is right now. Rejects when its service leads nowhere. */
  async locate({ service }: RemoteApi): Promise<ServiceAddress> {
    return await this.#resolve(service);
  }

  /** Resolves with the head of the answer; its body follows. Rejects when the server cannot be reached. */
  async send(api: RemoteApi, address: ServiceAddress, request: BackendRequest): Promise<BackendAnswer> {
    try {
      return await exchange(this.#optionsFor(api, address, request), request.body);
    } catch (error) {
      // The other side may close an idle connection just as it is taken for this request: that one was never read.
      if (!(error instanceof StaleConnection)) throw error;
      if (!(request.body instanceof Uint8Array)) throw error.cause;
      return await exchange({ ...this.#optionsFor(api, address, request), agent: false }, request.body);
    }
  }

  /** Ends idle connections; requests under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  #optionsFor(api: RemoteApi, { host, port }: ServiceAddress, request: BackendRequest): RequestOptions {
    const serverName = serverNameOf(api);
    return {
      host,
      port,
      method: request.method,
      path: request.path,
      headers: { ...request.headers, host: hostPort({ host, port }) },
      agent: this.#agent,
      servername: serverName,
      checkServerIdentity: (_host, certificate) => checkIdentity(serverName, certificate),
      ...trustOf(api),
      ...(this.#certificate && { cert: this.#certificate.certificate, key: this.#certificate.privateKey }),
      signal: request.signal,
    };
  }
}

export function hostPort({ host, port }: ServiceAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The authorities that count for this server, and for Node that knows how, as in Go also those that are no roots. */
function trustOf({
  caBundle,
  insecureSkipTLSVerify,
}: RemoteApi): RequestOptions & { allowPartialTrustChain?: boolean } {
  if (insecureSkipTLSVerify) return { rejectUnauthorized: false };
  if (caBundle === '') return {};
  return { ca: Buffer.from(caBundle, 'base64').toString('latin1'), allowPartialTrustChain: true };
}

class StaleConnection extends Error {}

function exchange(options: RequestOptions, body: ApiRequest['body']): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(options, (message) => resolve({ message }));
    // Connections are kept without saying so, as HTTP/1.1 has it.
    if (!request.hasHeader('upgrade')) request.removeHeader('connection');
    request.on('upgrade', (message, socket, head) => resolve({ message, socket, head }));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    if (body instanceof Uint8Array) {
      request.end(body);
      return;
    }
    const source = Readable.from(body, { objectMode: false });
    source.on('error', (error) => request.destroy(error));
    request.once('close', () => source.destroy());
    source.pipe(request);
  });
}
