import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request as sendRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '@pintle/async';
import { withTimeout } from '@pintle/async';
import { Chunks, joined } from '@pintle/http2';
import { checkHost, guardedLookup } from './dial-guard.ts';
import type { OutboundRequest, OutboundResponse } from './exchange.ts';
import { interimCounter, OutboundError, StaleConnection, sendBody } from './exchange.ts';
import { Http2Connections } from './http2-connections.ts';
import { ResponseBody } from './response-body.ts';
import { checkIdentity } from './server-identity.ts';
import type { OutboundTarget } from './target.ts';
import { hostPort, identityOf, tlsOptionsOf } from './target.ts';

interface OutboundClientOptions {
  /** HTTP/1.1 connections to one server; further requests wait for one of them. */
  readonly maxConnections: number;
  readonly maxIdleConnections: number;
  /** Uses HTTP/2 where the server supports it, except for upgrades. Default: HTTP/1.1 only. */
  readonly http2?: boolean;
}

interface FetchLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Longer responses are refused while they are read. */
  readonly maxBytes: number;
}

/** A whole response. */
interface FetchedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Limit on the headers of a response: the default of Node.js, independent of its flags. */
const MAX_HEADER_BYTES = 16 * 1024;
const NOTHING = new Uint8Array();
/** Options for a connection of one request. */
const ALONE = { agent: false, checkServerIdentity: checkIdentity } as const;

/**
 * Sends requests to servers that objects and options name: webhooks, aggregated APIs, issuers of tokens. Always over TLS with
 * a certificate of the requested name, never to a forbidden address, never along a redirect. Keeps connections.
 */
export class OutboundClient {
  readonly #http2: Http2Connections | undefined;
  readonly #lookup = guardedLookup();
  readonly #agent: Agent;

  constructor({ maxConnections, maxIdleConnections, http2 = false }: OutboundClientOptions) {
    this.#http2 = http2 ? new Http2Connections() : undefined;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: maxConnections,
      maxFreeSockets: maxIdleConnections,
      scheduling: 'lifo',
      // Set on the agent: Node.js does not keep connections with a check for one request. It passes the requested name, or
      // the address without one, and keeps connections of each apart.
      checkServerIdentity: checkIdentity,
    });
  }

  /**
   * Resolves with the response, whose body follows. Rejects when the server cannot be reached, and with an `OutboundError`
   * when it switches protocols without a request to.
   */
  async send(target: OutboundTarget, request: OutboundRequest): Promise<OutboundResponse> {
    checkHost(target.host);
    try {
      return await this.#sendOnce(target, request);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      request.signal.throwIfAborted();
      if (!(request.body instanceof Uint8Array)) throw error.cause ?? error;
      // Other idle connections may be stale too: a server that stops closes all of them.
      return await exchange({ ...this.#optionsFor(target, request), ...ALONE }, request.body);
    }
  }

  /** Sends a request and reads all of the response, of at most `maxBytes`. */
  async read(
    target: OutboundTarget,
    request: OutboundRequest,
    { maxBytes }: Pick<FetchLimits, 'maxBytes'>,
  ): Promise<FetchedResponse> {
    const response = await this.send(target, request);
    const chunks = new Chunks();
    for await (const chunk of new ResponseBody(response)) {
      if (chunks.bytes + chunk.length > maxBytes) throw new OutboundError({ code: 'TooLong', maxBytes });
      chunks.push(chunk);
    }
    const { status, headers } = response;
    return { status, headers, body: joined(chunks.take()) };
  }

  /** Gets a document. Rejects with an `AsyncError` after the timeout, and with the reason of `signal` when it aborts. */
  async fetch(
    locate: () => OutboundTarget | Promise<OutboundTarget>,
    { path, headers, signal }: Pick<OutboundRequest, 'path' | 'headers'> & { readonly signal?: AbortSignal },
    { clock, timeoutMs, maxBytes }: FetchLimits,
  ): Promise<FetchedResponse> {
    const get = async (limit: AbortSignal): Promise<FetchedResponse> =>
      await this.read(await locate(), { method: 'GET', path, headers, body: NOTHING, signal: limit }, { maxBytes });
    return await withTimeout(get, timeoutMs, { clock, ...(signal && { signal }) });
  }

  /** Closes all connections; requests in flight fail. */
  close(): void {
    this.#agent.destroy();
    this.#http2?.close();
  }

  async #sendOnce(target: OutboundTarget, request: OutboundRequest): Promise<OutboundResponse> {
    const isHttp1 = this.#http2 === undefined || request.headers.upgrade !== undefined;
    return isHttp1
      ? await exchange(this.#optionsFor(target, request), request.body)
      : await this.#sendByEither(this.#http2, target, request);
  }

  async #sendByEither(http2: Http2Connections, target: OutboundTarget, request: OutboundRequest) {
    const identity = identityOf(target);
    const tls = { ...tlsOptionsOf(target), lookup: this.#lookup, checkServerIdentity: checkIdentity };
    const response = await http2.send({ identity, authority: authorityOf(target), tls }, request);
    if (response !== undefined) return response;
    try {
      return await exchange(this.#optionsFor(target, request), request.body);
    } catch (error) {
      http2.forget(identity);
      throw error;
    }
  }

  #optionsFor(target: OutboundTarget, { method, path, headers, signal }: OutboundRequest): RequestOptions {
    return {
      ...tlsOptionsOf(target),
      lookup: this.#lookup,
      method,
      path,
      headers: { ...headers, host: authorityOf(target) },
      maxHeaderSize: MAX_HEADER_BYTES,
      // A server may switch protocols even after it refused an upgrade: no other request uses this connection.
      ...(headers.upgrade === undefined ? { agent: this.#agent } : ALONE),
      signal,
    };
  }
}

function authorityOf(target: OutboundTarget): string {
  return target.authority ?? hostPort(target);
}

function exchange(options: RequestOptions, body: OutboundRequest['body']): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(options, (message) => {
      // A 101 without an `upgrade` header, which Node.js treats as a response.
      if (message.statusCode === 101) refuse(message, message.socket);
      else resolve(responseOf(message));
    });
    const refuse = ({ headers }: IncomingMessage, socket: Duplex): void => {
      socket.destroy();
      reject(new OutboundError({ code: 'UnexpectedProtocol', protocol: headers.upgrade ?? '' }));
    };
    // Node.js drops headers beyond a number by default; their size is limited anyway.
    request.maxHeadersCount = 0;
    // HTTP/1.1 keeps connections without this header.
    if (!request.hasHeader('upgrade')) request.removeHeader('connection');
    request.on(
      'information',
      interimCounter((error) => request.destroy(error)),
    );
    request.on('upgrade', (message, socket, head) => {
      const requested = request.getHeader('upgrade');
      if (isRequestedUpgrade(message, requested)) resolve({ ...responseOf(message), socket, head });
      else refuse(message, socket);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    sendBody(request, body);
  });
}

/** True when the server switched to the requested protocol, and to no other, on a trusted connection. */
function isRequestedUpgrade({ statusCode, headers }: IncomingMessage, requested: unknown): boolean {
  if (statusCode !== 101 || typeof requested !== 'string' || headers.upgrade === undefined) return false;
  const names = (headers.connection ?? '').toLowerCase().split(',');
  return names.some((name) => name.trim() === 'upgrade') && headers.upgrade.toLowerCase() === requested.toLowerCase();
}

function responseOf(message: IncomingMessage): OutboundResponse {
  return { status: message.statusCode ?? 502, headers: message.headers, body: message };
}
