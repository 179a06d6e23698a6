import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred, onceAborted, type Runnable } from '@pintle/async';

export interface Address {
  /** 0: any that is free. */
  readonly port: number;
  /** Default: all addresses of this machine. */
  readonly host?: string;
}

interface EndpointAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/** Answers what is asked below its path. */
export type Endpoint = (rest: string, query: URLSearchParams) => Promise<EndpointAnswer>;

/** Serves a few paths over plain HTTP, for probes and scrapers; runs on standbys too. */
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

  /** Resolves once it can be asked. Rejects when the port cannot be had. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Where it is, once it has started. */
  get port(): number {
    return this.#port;
  }

  serves(name: string): boolean {
    return this.#endpoints.has(name);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => void this.#answer(request, response));
    try {
      this.#port = await listen(server, this.#address);
      this.#started.resolve();
      await onceAborted(signal);
    } catch (error) {
      this.#started.reject(error);
      throw error;
    } finally {
      await close(server);
    }
  }

  async #answer({ method, url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, contentType = 'text/plain; charset=utf-8' } = await this.#ask(method, url);
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
    });
    response.end(method === 'HEAD' ? undefined : body);
  }

  async #ask(method: string | undefined, url: string): Promise<EndpointAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'Only GET is answered\n' };
    const { path, query } = splitTarget(url);
    const [, name = '', rest = ''] = /^\/([^/]*)(?:\/(.*))?$/.exec(path) ?? [];
    const endpoint = this.#endpoints.get(name);
    if (endpoint === undefined) return { status: 404, body: '404 page not found\n' };
    try {
      return await endpoint(rest, new URLSearchParams(query));
    } catch {
      return { status: 500, body: 'Could not answer\n' };
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
 * The path and the query of a request's target, as they were sent. Takes any target: `new URL` throws for some that
 * clients may send, such as `//`.
 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}
