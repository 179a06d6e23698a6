import type { ClientCertificate, ServiceResolver } from '@pintle/apiserver';
import type { OutboundRequest, OutboundResponse, OutboundTarget } from '@pintle/apiserver/outbound';
import { decodeBundle, OutboundClient } from '@pintle/apiserver/outbound';
import type { Clock } from '@pintle/async';
import { userHeaders } from './forwarded-headers.ts';
import type { RemoteApi } from './remote-api.ts';
import { serverNameOf } from './remote-api.ts';

interface BackendClientOptions {
  readonly clock: Clock;
  readonly resolveService: ServiceResolver;
  /** Read for each request, because it may change. */
  readonly proxyCertificate?: ClientCertificate | undefined;
}

export interface BackendDocument {
  readonly contentType: string;
  /** ETag of the document; empty when the server sends none. */
  readonly etag: string;
  readonly bytes: Uint8Array;
}

export function isDocument(found: BackendDocument | 'unchanged' | undefined): found is BackendDocument {
  return typeof found === 'object';
}

/** A watch needs its own connection with servers that have no HTTP/2. */
const CONNECTIONS = { maxConnections: 1024, maxIdleConnections: 16, http2: true };
/** Longer documents are refused, to bound the memory. */
const LIMITS = { timeoutMs: 5_000, maxBytes: 32 * 1024 * 1024 };

/** Identity of the server's own requests. */
const AGGREGATOR = {
  ...userHeaders({ username: 'system:kube-aggregator', groups: ['system:masters'] }),
  'user-agent': 'pintle-apiserver',
};

/** Sends requests to the servers of remote APIs. */
export class BackendClient {
  readonly #options: BackendClientOptions;
  readonly #outbound = new OutboundClient(CONNECTIONS);

  constructor(options: BackendClientOptions) {
    this.#options = options;
  }

  /** Returns the current address of the server. Rejects when its Service cannot be resolved. */
  async locate(api: RemoteApi): Promise<OutboundTarget> {
    const { host, port } = await this.#options.resolveService(api.service);
    const { insecureSkipTLSVerify, caBundle } = api;
    const clientCertificate = this.#options.proxyCertificate;
    const ca = decodeBundle(caBundle);
    return { host, port, serverName: serverNameOf(api), ca, insecureSkipTLSVerify, clientCertificate };
  }

  async send(target: OutboundTarget, request: OutboundRequest): Promise<OutboundResponse> {
    return await this.#outbound.send(target, request);
  }

  /** Returns the status of a GET. */
  async statusOf(target: OutboundTarget, path: string, signal: AbortSignal): Promise<number> {
    const headers = { ...AGGREGATOR, accept: 'application/json, */*' };
    const request = { method: 'GET', path, headers, body: new Uint8Array(), signal };
    const { status, body } = await this.send(target, request);
    body.destroy();
    return status;
  }

  /**
   * Gets a document of a remote API; `undefined` when it does not exist, `unchanged` when it still has `etag`. Rejects when
   * the server cannot be reached.
   */
  async read(
    api: RemoteApi,
    { path, accept, etag }: { readonly path: string; readonly accept: string; readonly etag?: string },
    signal: AbortSignal,
  ): Promise<BackendDocument | 'unchanged' | undefined> {
    const headers = { ...AGGREGATOR, accept, ...(etag && { 'if-none-match': etag }) };
    const limits = { ...LIMITS, clock: this.#options.clock };
    const answer = await this.#outbound.fetch(() => this.locate(api), { path, headers, signal }, limits);
    if (answer.status === 304 && etag !== undefined) return 'unchanged';
    if (answer.status !== 200) return undefined;
    const { etag: tag = '', 'content-type': contentType = '' } = answer.headers;
    return { contentType, etag: tag, bytes: answer.body };
  }

  /** Closes idle connections; running requests fail. */
  close(): void {
    this.#outbound.close();
  }
}
