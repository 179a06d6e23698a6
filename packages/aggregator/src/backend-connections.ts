import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request as sendRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import type { ApiRequest, ServiceAddress, ServiceResolver } from '@pintle/apiserver';
import { checkHost, checkIdentity, guardedLookup } from '@pintle/apiserver/webhook';
import type { BackendAnswer, BackendRequest } from './backend-answer.ts';
import { BadAnswer, StaleConnection } from './backend-answer.ts';
import { Http2Backends } from './http2-backends.ts';
import type { RemoteApi } from './remote-api.ts';
import { serverNameOf } from './remote-api.ts';

/**
 * The certificate this server shows to backends, so that they believe who it says a user is. May become another
 * one while the server runs; connections are then made anew.
 */
export interface ProxyClientCertificate {
  /** In PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** Connections to one server at a time; watches hold one each. */
const MAX_CONNECTIONS = 1024;
const MAX_IDLE_CONNECTIONS = 16;
/** On a connection for one request. */
const ALONE = { agent: false, checkServerIdentity: checkIdentity } as const;

/**
 * Speaks to the servers behind services: always over TLS, only to what the service resolves to, never along a redirect.
 * HTTP/2 where the other side has it, but for what may become another protocol.
 */
export class BackendConnections {
  readonly #resolve: ServiceResolver;
  readonly #certificate: ProxyClientCertificate | undefined;
  #shown: string | undefined;
  #versions = 0;
  readonly #http2 = new Http2Backends();
  readonly #lookup = guardedLookup();
  readonly #agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    scheduling: 'lifo',
    // Of the agent, not of each request: Node does not keep connections that only one request may judge.
    checkServerIdentity: checkIdentity,
  });

  constructor(resolve: ServiceResolver, certificate: ProxyClientCertificate | undefined) {
    this.#resolve = resolve;
    this.#certificate = certificate;
  }

  /** Where the server is right now. Rejects when its service leads nowhere. */
  async locate({ service }: RemoteApi): Promise<ServiceAddress> {
    return await this.#resolve(service);
  }

  /**
   * Resolves with the head of the answer; its body follows. Rejects when the server cannot be reached, and with
   * `BadAnswer` when it switches protocols unasked.
   */
  async send(api: RemoteApi, address: ServiceAddress, request: BackendRequest): Promise<BackendAnswer> {
    checkHost(address.host);
    try {
      return await this.#sendOnce(api, address, request);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      request.signal.throwIfAborted();
      if (!(request.body instanceof Uint8Array)) throw error.cause ?? error;
      return await exchange({ ...this.#optionsFor(api, address, request), ...ALONE }, request.body);
    }
  }

  async #sendOnce(api: RemoteApi, address: ServiceAddress, request: BackendRequest): Promise<BackendAnswer> {
    const name = `${nameOf(api, address)} ${this.#version()}`;
    if (request.headers.upgrade === undefined) {
      const tls = { ...this.#tlsFor(api, address), checkServerIdentity: checkIdentity };
      const target = { name, authority: hostPort(address), tls };
      const answer = await this.#http2.send(target, request);
      if (answer !== undefined) return answer;
    }
    try {
      return await exchange(this.#optionsFor(api, address, request), request.body);
    } catch (error) {
      this.#http2.forget(name);
      throw error;
    }
  }

  /** Ends idle connections; requests under way fail. */
  close(): void {
    this.#agent.destroy();
    this.#http2.close();
  }

  #optionsFor(api: RemoteApi, address: ServiceAddress, request: BackendRequest): RequestOptions {
    return {
      ...this.#tlsFor(api, address),
      method: request.method,
      path: request.path,
      headers: { ...request.headers, host: hostPort(address) },
      // Whoever was asked to speak something else may do so on that connection even when it refused: nobody else uses it.
      ...(request.headers.upgrade === undefined ? { agent: this.#agent } : ALONE),
      signal: request.signal,
    };
  }

  /** How many certificates were shown so far. */
  #version(): number {
    const shown = this.#certificate?.certificate;
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#versions++;
    }
    return this.#versions;
  }

  #tlsFor(api: RemoteApi, { host, port }: ServiceAddress) {
    return {
      host,
      port,
      servername: serverNameOf(api),
      lookup: this.#lookup,
      ...trustOf(api),
      ...(this.#certificate && { cert: this.#certificate.certificate, key: this.#certificate.privateKey }),
    };
  }
}

/** Servers that are the same, and trusted for the same reason. */
function nameOf(api: RemoteApi, address: ServiceAddress): string {
  const trust = api.insecureSkipTLSVerify ? '' : createHash('sha256').update(api.caBundle).digest('base64');
  return `${hostPort(address)} ${serverNameOf(api)} ${api.insecureSkipTLSVerify} ${trust}`;
}

export function hostPort({ host, port }: ServiceAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The authorities that count for this server, and for Node that knows how, as in Go also those that are no roots. */
function trustOf({ caBundle, insecureSkipTLSVerify }: RemoteApi): {
  rejectUnauthorized?: boolean;
  ca?: string;
  allowPartialTrustChain?: boolean;
} {
  if (insecureSkipTLSVerify) return { rejectUnauthorized: false };
  if (caBundle === '') return {};
  return { ca: Buffer.from(caBundle, 'base64').toString('latin1'), allowPartialTrustChain: true };
}

function exchange(options: RequestOptions, body: ApiRequest['body']): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(options, (message) => {
      // A switch of protocols that names none: Node takes it for an answer.
      if (message.statusCode === 101) refuse(message, message.socket);
      else resolve(answerOf(message));
    });
    const refuse = ({ headers }: IncomingMessage, socket: Duplex): void => {
      socket.destroy();
      reject(new BadAnswer(`the backend switched to the protocol "${headers.upgrade ?? ''}", which was not asked for`));
    };
    // Node's default leaves out headers beyond a number; their size is limited anyway.
    request.maxHeadersCount = 0;
    // Connections are kept without saying so, as HTTP/1.1 has it.
    if (!request.hasHeader('upgrade')) request.removeHeader('connection');
    request.on('upgrade', (message, socket, head) => {
      const asked = request.getHeader('upgrade');
      if (grantsWhatWasAsked(message, asked)) resolve({ ...answerOf(message), socket, head });
      else refuse(message, socket);
    });
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

/** An upgrade is a new protocol on a connection that is trusted: only the one that the client asked for by name counts. */
function grantsWhatWasAsked({ statusCode, headers }: IncomingMessage, asked: unknown): boolean {
  if (statusCode !== 101 || typeof asked !== 'string' || headers.upgrade === undefined) return false;
  const names = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  return names.includes('upgrade') && headers.upgrade.toLowerCase() === asked.toLowerCase();
}

function answerOf(message: IncomingMessage): BackendAnswer {
  return { status: message.statusCode ?? 502, headers: message.headers, body: message };
}
