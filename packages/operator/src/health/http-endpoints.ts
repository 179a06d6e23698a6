import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred, onceAborted, type Runnable } from '@pintle/async';

import { listenError } from '../errors.ts';

export interface Address {
  /** 0 chooses a free port. */
  readonly port: number;
  /** Default: all addresses of this machine. */
  readonly host?: string;
}

interface EndpointResponse {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/** Handles requests below its path. */
export type Endpoint = (rest: string, query: URLSearchParams) => Promise<EndpointResponse>;

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 128;
const LIMITS = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxHeaderSize: 16 * 1024 };

/**
 * Serves a few paths over plain HTTP, for probes and scrapers; runs on standbys too. Serves one request for each
 * connection: clients need no credentials, and a thousand pipelined requests would fill the memory with responses.
 */
export class HttpEndpoints implements Runnable {
  readonly needsLease = false;
  readonly #address: Address;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #started = deferred();
  #port = 0;

  constructor(address: Address, endpoints: ReadonlyMap<string, Endpoint>) {
    this.#address = address;
    this.#endpoints = endpoints;
    this.#started.promise.catch(() => undefined);
  }

  /** Resolves once the server listens. Rejects when it cannot listen on the port. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Port, once the server has started. */
  get port(): number {
    return this.#port;
  }

  serves(name: string): boolean {
    return this.#endpoints.has(name);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { createServer } = await import('node:http');
    const server = createServer(LIMITS, (request, response) => void this.#respond(request, response));
    server.maxConnections = MAX_CONNECTIONS;
    server.maxRequestsPerSocket = 1;
    server.timeout = TIMEOUT_MS;
    try {
      this.#port = await listen(server, this.#address);
      this.#started.resolve();
      await onceAborted(signal);
    } catch (cause) {
      const { port } = this.#address;
      const serves = this.serves('metrics') ? (this.serves('healthz') ? 'health and metrics' : 'metrics') : 'health';
      const setting = this.serves('healthz') ? 'HEALTH_PORT' : 'METRICS_PORT';
      const error = listenError(cause, { serves, port, setting });
      this.#started.reject(error);
      throw error;
    } finally {
      await close(server);
    }
  }

  async #respond({ method, url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, contentType = 'text/plain; charset=utf-8' } = await this.#handle(method, url);
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    response.end(method === 'HEAD' ? undefined : body);
  }

  async #handle(method: string | undefined, url: string): Promise<EndpointResponse> {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'Only GET and HEAD are allowed\n' };
    const { path, query } = splitTarget(url);
    const [, name = '', rest = ''] = /^\/([^/]*)(?:\/(.*))?$/.exec(path) ?? [];
    const endpoint = this.#endpoints.get(name);
    if (endpoint === undefined) return { status: 404, body: '404 page not found\n' };
    try {
      return await endpoint(rest, new URLSearchParams(query));
    } catch {
      return { status: 500, body: 'Internal error\n' };
    }
  }
}

function listen(server: Server, { port, host }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * Splits a request target into path and query, as they were sent. Accepts any target: `new URL` throws for some that clients
 * may send, such as `//`.
 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}
