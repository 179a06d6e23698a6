import { Backoff, type Random } from '@pintle/async';
import { type CallOptions, Endpoint, type EndpointOptions } from './endpoint.ts';
import type { Method } from './methods.ts';
import { RpcError } from './rpc-error.ts';

export interface ClusterOptions extends EndpointOptions {
  /** Endpoints as `https://host:port`; without a scheme, in plain text. */
  readonly endpoints: readonly string[];
  readonly random: Random;
}

/** Timeout of one attempt at a read, before another member is asked. */
const READ_TRY_MS = 2_000;

/** Members of an etcd cluster. One is asked at a time; when it fails, the next. */
export class Cluster {
  readonly #endpoints: readonly Endpoint[];
  readonly #options: ClusterOptions;
  #preferred: number;

  /** Throws when there is no endpoint, or one is not an address. */
  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#endpoints = options.endpoints.map((text) => new Endpoint(...parseEndpoint(text, options)));
    if (this.#endpoints.length === 0) throw new RangeError('Cannot use etcd: no endpoint is given');
    this.#preferred = options.random.below(this.#endpoints.length);
  }

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** Member to ask now. */
  get preferred(): Endpoint {
    return this.#endpoints[this.#preferred]!;
  }

  /** Sends a request once, because it may have been applied. Rejects with RpcError. */
  async write<Response>(
    method: Method<never, Response>,
    request: Uint8Array,
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<Response> {
    const endpoint = this.preferred;
    try {
      return await endpoint.call(method, request, { timeoutMs });
    } catch (error) {
      this.reportFailure(endpoint, error);
      throw error;
    }
  }

  /**
   * Asks one member after the other, for `timeoutMs` in all. Rejects with the last RpcError, or the signal's reason.
   */
  async read<Request, Response>(
    method: Method<Request, Response>,
    body: Request,
    { timeoutMs, signal }: CallOptions,
  ): Promise<Response> {
    const { clock } = this.#options;
    const request = method.encode(body);
    const deadline = clock.monotonic() + timeoutMs;
    const backoff = this.backoff();
    for (;;) {
      const endpoint = this.preferred;
      const left = deadline - clock.monotonic();
      try {
        return await endpoint.call(method, request, { timeoutMs: Math.min(left, READ_TRY_MS), signal });
      } catch (error) {
        this.reportFailure(endpoint, error);
        const waitMs = backoff.next();
        if (!isTransient(error) || clock.monotonic() + waitMs >= deadline) throw error;
        await clock.sleep(waitMs, signal === undefined ? {} : { signal });
      }
    }
  }

  /** Records that a member failed: the next one is asked from now on. */
  reportFailure(endpoint: Endpoint, error: unknown): void {
    if (!(error instanceof RpcError) || !error.isTransient || endpoint !== this.preferred) return;
    if (error.isTimeout) endpoint.reconnect();
    this.#preferred = (this.#preferred + 1) % this.#endpoints.length;
  }

  /** Prefers another member over the one at `address`, if there is one. */
  skip(address: string): void {
    if (this.preferred.address === address) this.#preferred = (this.#preferred + 1) % this.#endpoints.length;
  }

  /** Returns a backoff with jitter for retries. */
  backoff(): Backoff {
    return new Backoff({ initialMs: 50, maxMs: 1_000, jitter: 0.5, random: this.#options.random });
  }

  close(): void {
    for (const endpoint of this.#endpoints) endpoint.close();
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof RpcError && error.isTransient;
}

function parseEndpoint(text: string, { tls, clock }: ClusterOptions): [string, EndpointOptions] {
  const scheme = /^https?:\/\//.exec(text)?.[0];
  // Parsed with a scheme that has no default port, so that no port is dropped.
  const rest = `etcd://${text.slice(scheme?.length ?? 0)}`;
  const url = URL.canParse(rest) ? new URL(rest) : undefined;
  if (url === undefined || url.hostname === '' || url.pathname.length > 1 || url.username !== '')
    throw new RangeError(
      `Cannot use ${JSON.stringify(text)} as an etcd server: it is not http:// or https:// and a host`,
    );
  return [`${url.hostname}:${url.port || '2379'}`, { clock, tls: scheme === 'https://' ? (tls ?? {}) : undefined }];
}
